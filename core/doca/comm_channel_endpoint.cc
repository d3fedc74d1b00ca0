// Endpoints: limits, properties, life; see comm_channel.h.
#include <algorithm>
#include <bit>
#include <new>

#include "comch/capability.h"
#include "doca/comm_channel.h"
#include "doca/refuse.h"

using comch::Capability;
using comch::Errc;
using comch::doca::guarded;
using comch::doca::null_argument;
using comch::doca::refuse;

// --- Limits ------------------------------------------------------------------------------

doca_error_t doca_comm_channel_get_max_service_name_len(uint32_t* max_service_name_len) {
  if (max_service_name_len == nullptr) return null_argument();
  *max_service_name_len = Capability().max_name_length;
  return DOCA_SUCCESS;
}

namespace {

doca_error_t get_limit(const doca_devinfo* devinfo, uint32_t* value, uint32_t Capability::* limit,
                       std::source_location where) {
  if (devinfo == nullptr || value == nullptr) return null_argument(where);
  *value = devinfo->info.capability.*limit;
  return DOCA_SUCCESS;
}

}  // namespace

doca_error_t doca_comm_channel_get_max_message_size(doca_devinfo* devinfo,
                                                    uint32_t* max_message_size) {
  return get_limit(devinfo, max_message_size, &Capability::max_message_size,
                   std::source_location::current());
}

doca_error_t doca_comm_channel_get_max_send_queue_size(doca_devinfo* devinfo,
                                                       uint32_t* max_send_queue_size) {
  return get_limit(devinfo, max_send_queue_size, &Capability::max_send_tasks,
                   std::source_location::current());
}

doca_error_t doca_comm_channel_get_max_recv_queue_size(doca_devinfo* devinfo,
                                                       uint32_t* max_recv_queue_size) {
  return get_limit(devinfo, max_recv_queue_size, &Capability::max_recv_queue_size,
                   std::source_location::current());
}

doca_error_t doca_comm_channel_get_service_max_num_connections(doca_devinfo* devinfo,
                                                               uint32_t* max_num_connections) {
  if (devinfo == nullptr || max_num_connections == nullptr) return null_argument();
  if (!devinfo->info.capability.server) {
    return refuse(Errc::not_supported, "services do not live on this device");
  }
  *max_num_connections = devinfo->info.capability.max_clients;
  return DOCA_SUCCESS;
}

// --- Life --------------------------------------------------------------------------------

doca_error_t doca_comm_channel_ep_create(doca_comm_channel_ep_t** ep) {
  if (ep == nullptr) return null_argument();
  return guarded([&] {
    auto engine = comch::ProgressEngine::create();
    if (!engine) return refuse(Errc::initialization, engine.error().what);
    *ep = new doca_comm_channel_ep_t(std::move(*engine));
    return DOCA_SUCCESS;
  });
}

doca_error_t doca_comm_channel_ep_destroy(doca_comm_channel_ep_t* local_ep) {
  if (local_ep == nullptr) return refuse(Errc::not_connected, "the endpoint is NULL");
  delete local_ep;
  return DOCA_SUCCESS;
}

// --- Devices -----------------------------------------------------------------------------

namespace {

doca_error_t active(std::source_location where) {
  return refuse(Errc::bad_state, "the endpoint listens or is connected already", where);
}

template <class Handle>
doca_error_t get_handle(const doca_comm_channel_ep_t* ep, Handle** value,
                        std::optional<comch::doca::Hold<Handle>> doca_comm_channel_ep_t::* member,
                        std::source_location where) {
  if (ep == nullptr || value == nullptr) return null_argument(where);
  *value = ep->*member ? (ep->*member)->get() : nullptr;
  return DOCA_SUCCESS;
}

template <class Handle>
doca_error_t set_handle(doca_comm_channel_ep_t* ep, Handle* value,
                        std::optional<comch::doca::Hold<Handle>> doca_comm_channel_ep_t::* member,
                        std::source_location where) {
  if (ep == nullptr || value == nullptr) return null_argument(where);
  if (ep->active()) return active(where);
  (ep->*member).emplace(value);
  return DOCA_SUCCESS;
}

}  // namespace

doca_error_t doca_comm_channel_ep_get_device(doca_comm_channel_ep_t* ep, doca_dev** device) {
  return get_handle(ep, device, &doca_comm_channel_ep_t::device, std::source_location::current());
}

doca_error_t doca_comm_channel_ep_get_device_rep(doca_comm_channel_ep_t* ep,
                                                 doca_dev_rep** device_rep) {
  return get_handle(ep, device_rep, &doca_comm_channel_ep_t::representor,
                    std::source_location::current());
}

doca_error_t doca_comm_channel_ep_set_device(doca_comm_channel_ep_t* ep, doca_dev* device) {
  return set_handle(ep, device, &doca_comm_channel_ep_t::device, std::source_location::current());
}

doca_error_t doca_comm_channel_ep_set_device_rep(doca_comm_channel_ep_t* ep,
                                                 doca_dev_rep* device_rep) {
  return set_handle(ep, device_rep, &doca_comm_channel_ep_t::representor,
                    std::source_location::current());
}

// --- Sizes -------------------------------------------------------------------------------

namespace {

constexpr std::uint32_t kLeastQueue = 16;

doca_error_t get_size(const doca_comm_channel_ep_t* ep, uint16_t* value,
                      std::uint32_t doca_comm_channel_ep_t::* size, std::source_location where) {
  if (ep == nullptr || value == nullptr) return null_argument(where);
  *value = static_cast<uint16_t>(ep->*size);
  return DOCA_SUCCESS;
}

// The limit of the endpoint's device, or the usual one while it has none.
std::uint32_t limit_of(const doca_comm_channel_ep_t& ep, std::uint32_t Capability::* limit) {
  return ep.device ? ep.device->get()->device->info().capability.*limit : Capability().*limit;
}

doca_error_t check_size(const doca_comm_channel_ep_t* ep, std::uint32_t value,
                        std::uint32_t Capability::* limit, std::source_location where) {
  if (ep == nullptr) return null_argument(where);
  if (value == 0 || value > limit_of(*ep, limit)) {
    return refuse(Errc::invalid_value, "the number is 0 or above the device's limit", where);
  }
  return ep->active() ? active(where) : DOCA_SUCCESS;
}

doca_error_t set_queue(doca_comm_channel_ep_t* ep, std::uint32_t value,
                       std::uint32_t doca_comm_channel_ep_t::* size,
                       std::uint32_t Capability::* limit, std::source_location where) {
  const doca_error_t checked = check_size(ep, value, limit, where);
  if (checked != DOCA_SUCCESS) return checked;
  const std::uint32_t rounded = std::bit_ceil(std::max(value, kLeastQueue));
  ep->*size = std::min(rounded, limit_of(*ep, limit));
  return DOCA_SUCCESS;
}

}  // namespace

doca_error_t doca_comm_channel_ep_get_max_msg_size(doca_comm_channel_ep_t* ep,
                                                   uint16_t* max_msg_size) {
  return get_size(ep, max_msg_size, &doca_comm_channel_ep_t::max_message_size,
                  std::source_location::current());
}

doca_error_t doca_comm_channel_ep_get_send_queue_size(doca_comm_channel_ep_t* ep,
                                                      uint16_t* send_queue_size) {
  return get_size(ep, send_queue_size, &doca_comm_channel_ep_t::send_queue_size,
                  std::source_location::current());
}

doca_error_t doca_comm_channel_ep_get_recv_queue_size(doca_comm_channel_ep_t* ep,
                                                      uint16_t* recv_queue_size) {
  return get_size(ep, recv_queue_size, &doca_comm_channel_ep_t::recv_queue_size,
                  std::source_location::current());
}

doca_error_t doca_comm_channel_ep_set_max_msg_size(doca_comm_channel_ep_t* ep,
                                                   uint16_t max_msg_size) {
  const doca_error_t checked =
      check_size(ep, max_msg_size, &Capability::max_message_size, std::source_location::current());
  if (checked == DOCA_SUCCESS) ep->max_message_size = max_msg_size;
  return checked;
}

doca_error_t doca_comm_channel_ep_set_send_queue_size(doca_comm_channel_ep_t* ep,
                                                      uint16_t send_queue_size) {
  return set_queue(ep, send_queue_size, &doca_comm_channel_ep_t::send_queue_size,
                   &Capability::max_send_tasks, std::source_location::current());
}

doca_error_t doca_comm_channel_ep_set_recv_queue_size(doca_comm_channel_ep_t* ep,
                                                      uint16_t recv_queue_size) {
  return set_queue(ep, recv_queue_size, &doca_comm_channel_ep_t::recv_queue_size,
                   &Capability::max_recv_queue_size, std::source_location::current());
}
