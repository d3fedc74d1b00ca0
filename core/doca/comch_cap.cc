// doca_comch_cap: what a device can do, as doca_comch.h asks.
//
// Threads: any.
#include <doca_comch.h>

#include "doca/dev.h"
#include "doca/refuse.h"

using comch::Capability;
using comch::Errc;
using comch::doca::null_argument;
using comch::doca::number_of;

namespace {

doca_error_t limit_of(const doca_devinfo* devinfo, std::uint32_t Capability::* limit,
                      std::uint32_t* value,
                      std::source_location where = std::source_location::current()) {
  if (devinfo == nullptr || value == nullptr) return null_argument(where);
  *value = devinfo->info.capability.*limit;
  return DOCA_SUCCESS;
}

// Programs ask every device for its role: no is an answer, and not logged.
doca_error_t answer_about_role(bool supported) {
  return supported ? DOCA_SUCCESS : number_of(Errc::not_supported);
}

}  // namespace

doca_error_t doca_comch_cap_get_max_name_len(const doca_devinfo* devinfo, uint32_t* max_name_len) {
  return limit_of(devinfo, &Capability::max_name_length, max_name_len);
}

doca_error_t doca_comch_cap_get_max_msg_size(const doca_devinfo* devinfo, uint32_t* size) {
  return limit_of(devinfo, &Capability::max_message_size, size);
}

doca_error_t doca_comch_cap_get_max_recv_queue_size(const doca_devinfo* devinfo, uint32_t* size) {
  return limit_of(devinfo, &Capability::max_recv_queue_size, size);
}

doca_error_t doca_comch_cap_get_max_clients(const doca_devinfo* devinfo, uint32_t* num_clients) {
  return limit_of(devinfo, &Capability::max_clients, num_clients);
}

doca_error_t doca_comch_cap_get_max_send_tasks(const doca_devinfo* devinfo,
                                               uint32_t* max_send_tasks) {
  return limit_of(devinfo, &Capability::max_send_tasks, max_send_tasks);
}

doca_error_t doca_comch_cap_server_is_supported(const doca_devinfo* devinfo) {
  if (devinfo == nullptr) return null_argument();
  return answer_about_role(devinfo->info.capability.server);
}

doca_error_t doca_comch_cap_client_is_supported(const doca_devinfo* devinfo) {
  if (devinfo == nullptr) return null_argument();
  return answer_about_role(devinfo->info.capability.client);
}
