// Packet: sendmsg(2) and recvmsg(2), and what may come with them.
#include "os/packet.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "os/syscalls.h"
#include "os/uninterrupted.h"

namespace comch::os {
namespace {

// Room for kPacketFds descriptors and no more: the kernel itself drops what does not fit,
// and says so with MSG_CTRUNC.
struct Control {
  alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(kPacketFds * sizeof(int))> bytes = {};
};
static_assert(CMSG_SPACE(kPacketFds * sizeof(int)) == CMSG_LEN(kPacketFds * sizeof(int)),
              "padding would make room for one more descriptor");

void attach(msghdr& message, Control& control, std::span<const int> fds) {
  if (fds.empty()) return;
  message.msg_control = control.bytes.data();
  message.msg_controllen = CMSG_SPACE(fds.size_bytes());
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(fds.size_bytes());
  std::memcpy(CMSG_DATA(header), fds.data(), fds.size_bytes());
}

// Takes the descriptors out of `message`; every one of them has an owner afterwards.
void detach(msghdr& message, Packet& packet) {
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
       header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int raw = -1;
      std::memcpy(&raw, CMSG_DATA(header) + i * sizeof raw, sizeof raw);
      Fd fd(raw);
      if (packet.fd_count < packet.fds.size()) {
        packet.fds[packet.fd_count++] = std::move(fd);
      } else {
        packet.truncated = true;
      }
    }
  }
}

// An empty packet and the end look the same to recvmsg(): 0 bytes, and no flag tells
// them apart (Linux sets no MSG_EOR on unix sockets). It is the end when the peer can
// send no more and nothing with a byte in it is left; packets that may still follow are
// empty as well, and mean nothing to anybody.
Result<bool> is_at_end(const Fd& socket) {
  pollfd look{.fd = socket.get(), .events = POLLRDHUP, .revents = 0};
  if (uninterrupted([&] { return syscalls().poll(&look, 1, 0); }) < 0) {
    return fail(Errc::operating_system, "the socket cannot be examined", errno);
  }
  if ((look.revents & (POLLRDHUP | POLLHUP)) == 0) return false;
  int waiting = 0;  // Asked second: from here on it can only be what it is.
  if (syscalls().bytes_waiting(socket.get(), &waiting) < 0) {
    return fail(Errc::operating_system, "the socket cannot be examined", errno);
  }
  return waiting == 0;
}

ssize_t receive_once(const Fd& socket, msghdr& message) {
  return uninterrupted(
      [&] { return syscalls().recvmsg(socket.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC); });
}

}  // namespace

Status send(const Fd& socket, std::span<const std::byte> bytes, std::span<const int> fds) {
  if (fds.size() > kPacketFds) {
    return fail(Errc::invalid_value, "a packet does not carry so many descriptors");
  }
  // sendmsg() only reads what iov_base points to.
  iovec part{.iov_base = const_cast<std::byte*>(bytes.data()), .iov_len = bytes.size()};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  Control control;
  attach(message, control, fds);
  const ssize_t sent = uninterrupted(
      [&] { return syscalls().sendmsg(socket.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL); });
  if (sent >= 0) return {};
  switch (errno) {
    case EAGAIN:
      return fail(Errc::again, "the peer's queue is full", EAGAIN);
    case EPIPE:
    case ECONNRESET:
    case ENOTCONN:
      return fail(Errc::connection_reset, "the peer has hung up", errno);
    case EMSGSIZE:
      return fail(Errc::too_big, "a packet cannot be so long", EMSGSIZE);
    case EBADF:
      return fail(Errc::invalid_value, "a descriptor is not open", EBADF);
    default:
      return fail(Errc::operating_system, "a packet cannot be sent", errno);
  }
}

Result<Packet> receive(const Fd& socket, std::span<std::byte> buffer) {
  iovec part{.iov_base = buffer.data(), .iov_len = buffer.size()};
  Control control;
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes.data();
  message.msg_controllen = control.bytes.size();

  ssize_t received = receive_once(socket, message);
  // A peer that closes while it has unread packets makes the next call fail once, ahead
  // of what it had sent us before. The failure is used up now; what it sent is not.
  if (received < 0 && errno == ECONNRESET) received = receive_once(socket, message);
  if (received < 0) {
    if (errno == EAGAIN) return fail(Errc::again, "no packet is waiting", EAGAIN);
    return fail(Errc::operating_system, "no packet can be received", errno);
  }

  Packet packet;
  packet.size = static_cast<std::size_t>(received);
  packet.truncated = (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0;
  detach(message, packet);
  if (received == 0 && !packet.truncated && packet.fd_count == 0) {
    const Result<bool> end = is_at_end(socket);
    if (!end) return std::unexpected(end.error());
    packet.end = *end;
  }
  return packet;
}

}  // namespace comch::os
