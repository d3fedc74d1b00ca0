// Endpoints: see endpoints.h.
#include "doca/endpoints.h"

#include <poll.h>

#include <array>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "doca/must.h"

namespace comch::test {
namespace {

bool poll_for(int fd, int timeout_ms) {
  pollfd entry{.fd = fd, .events = POLLIN, .revents = 0};
  return ::poll(&entry, 1, timeout_ms) == 1;
}

}  // namespace

Endpoint::Endpoint(doca_dev* device, doca_dev_rep* representor) {
  must(doca_comm_channel_ep_create(&endpoint_), "create");
  must(doca_comm_channel_ep_set_device(endpoint_, device), "set_device");
  if (representor != nullptr) {
    must(doca_comm_channel_ep_set_device_rep(endpoint_, representor), "set_device_rep");
  }
}

Endpoint::Endpoint(Endpoint&& other) noexcept
    : peer(other.peer),
      from(other.from),
      text(std::move(other.text)),
      endpoint_(std::exchange(other.endpoint_, nullptr)) {}

void Endpoint::destroy() {
  if (endpoint_ != nullptr) doca_comm_channel_ep_destroy(std::exchange(endpoint_, nullptr));
}

doca_error_t Endpoint::send(std::string_view message, doca_comm_channel_addr_t* to) const {
  return doca_comm_channel_ep_sendto(*this, message.data(), message.size(), DOCA_CC_MSG_FLAG_NONE,
                                     to);
}

doca_error_t Endpoint::take() {
  std::array<char, 65536> room;
  std::size_t length = room.size();
  const doca_error_t result =
      doca_comm_channel_ep_recvfrom(*this, room.data(), &length, DOCA_CC_MSG_FLAG_NONE, &from);
  if (result == DOCA_SUCCESS) text.assign(room.data(), length);
  return result;
}

std::optional<std::string> Endpoint::next(const Deadline& deadline) {
  doca_error_t result = DOCA_ERROR_AGAIN;
  eventually([&] { return (result = take()) != DOCA_ERROR_AGAIN; }, deadline);
  if (result != DOCA_SUCCESS) return std::nullopt;
  return text;
}

int Endpoint::send_event() const {
  int fd = -1;
  must(doca_comm_channel_ep_get_event_channel(*this, &fd, nullptr), "send event");
  return fd;
}

int Endpoint::recv_event() const {
  int fd = -1;
  must(doca_comm_channel_ep_get_event_channel(*this, nullptr, &fd), "receive event");
  return fd;
}

int Endpoint::service_event() const {
  int fd = -1;
  must(doca_comm_channel_ep_get_service_event_channel(*this, &fd), "service event");
  return fd;
}

bool is_readable(int fd) { return poll_for(fd, 0); }

bool becomes_readable(int fd, const Deadline& deadline) { return poll_for(fd, deadline.left_ms()); }

doca_error_t update_of(doca_comm_channel_addr_t* peer) {
  return doca_comm_channel_peer_addr_update_info(peer);
}

Endpoint LegacyTest::listening(const char* name) {
  Endpoint service = idle_service();
  must(doca_comm_channel_ep_listen(service, name), "listen");
  return service;
}

Endpoint LegacyTest::connecting(const char* name) {
  Endpoint client = idle_client();
  must(client.connect(name), "connect");
  return client;
}

Endpoint LegacyTest::connected(Endpoint& service, const char* name) {
  Endpoint client = connecting(name);
  const bool accepted = eventually([&] {
    const doca_error_t nothing = service.take();
    return nothing == DOCA_ERROR_AGAIN && update_of(client.peer) == DOCA_SUCCESS;
  });
  if (!accepted) throw std::runtime_error("the service did not accept");
  return client;
}

void LegacyTest::introduce(Endpoint& client, Endpoint& service) {
  const bool sent = eventually([&] {
    if (client.send("hello") == DOCA_SUCCESS) return true;
    std::ignore = service.take();  // Accepts it.
    return false;
  });
  if (!sent) throw std::runtime_error("the service did not accept");
  if (service.next() != "hello") throw std::runtime_error("the service did not hear its client");
}

}  // namespace comch::test
