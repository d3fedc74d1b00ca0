// Connection: the public face of ConnectionImpl.
#include "comch/connection.h"

#include "comch/connection_impl.h"
#include "comch/endpoint.h"

namespace comch {

std::string_view name(ConnectionState state) {
  switch (state) {
    case ConnectionState::kEstablished:
      return "established";
    case ConnectionState::kDraining:
      return "draining";
    case ConnectionState::kClosing:
      return "closing";
    case ConnectionState::kClosed:
      return "closed";
  }
  return "unknown";
}

ConnectionId Connection::id() const { return ConnectionImpl::of(*this).id(); }
ConnectionState Connection::state() const { return ConnectionImpl::of(*this).state(); }
const PeerIdentity& Connection::peer() const { return ConnectionImpl::of(*this).peer(); }
const std::optional<Error>& Connection::loss() const { return ConnectionImpl::of(*this).loss(); }
Server* Connection::server() const { return ConnectionImpl::of(*this).endpoint().as_server(); }
Client* Connection::client() const { return ConnectionImpl::of(*this).endpoint().as_client(); }
std::uint32_t Connection::max_message_size() const {
  return ConnectionImpl::of(*this).endpoint().limits().max_message_size;
}

void Connection::set_user_data(UserData data) { ConnectionImpl::of(*this).user_data = data; }
UserData Connection::user_data() const { return ConnectionImpl::of(*this).user_data; }
ConnectionCounters Connection::counters() const { return ConnectionImpl::of(*this).counters(); }
void Connection::reset_counters() { ConnectionImpl::of(*this).reset_counters(); }
std::size_t Connection::tasks_in_flight() const { return ConnectionImpl::of(*this).in_flight(); }

std::vector<ConsumerId> Connection::remote_consumers() const {
  return ConnectionImpl::of(*this).remote_consumers();
}
std::size_t Connection::local_ends() const { return ConnectionImpl::of(*this).local_ends(); }

Status Connection::try_send(std::span<const std::byte> message) {
  return ConnectionImpl::of(*this).try_send(message);
}
bool Connection::can_send() const { return ConnectionImpl::of(*this).can_send(); }
void Connection::request_space() { ConnectionImpl::of(*this).request_space(); }

void Connection::pause() { ConnectionImpl::of(*this).pause(); }
void Connection::resume() { ConnectionImpl::of(*this).resume(); }
bool Connection::paused() const { return ConnectionImpl::of(*this).paused(); }
std::optional<std::span<const std::byte>> Connection::take() {
  return ConnectionImpl::of(*this).take();
}
std::optional<std::span<const std::byte>> Connection::peek() {
  return ConnectionImpl::of(*this).peek();
}
std::uint64_t Connection::arrival() const { return ConnectionImpl::of(*this).arrival(); }

}  // namespace comch
