// Doorbell: see doorbell.h.
#include "transport/shm/doorbell.h"

#include <array>
#include <cerrno>

#include "base/say.h"
#include "os/packet.h"
#include "os/seq_socket.h"
#include "wire/handshake.h"

namespace comch::transport::shm {
namespace {

// Picked: nothing may wait here, and memory that is not there at once may be there a moment later.
constexpr int kTries = 16;

// Whether whoever listens is awake, or will be, or is gone.
bool is_heard(const Status& sent) {
  return sent || sent.error().sys == EAGAIN || sent.error().code == Errc::connection_reset;
}

}  // namespace

void ring(const os::Fd& socket) {
  std::array<std::byte, wire::kMaxPacket> buffer;
  const auto packet = std::span(buffer).first(wire::encode(wire::Doorbell{}, buffer));
  Status sent = os::send(socket, packet);
  for (int tries = 1; !is_heard(sent) && tries < kTries; ++tries) sent = os::send(socket, packet);
  if (is_heard(sent)) return;
  say(LogLevel::kError, "a peer cannot be woken, and its connection ends: {}",
      describe(sent.error()));
  os::shut_down(socket);
}

}  // namespace comch::transport::shm
