// Packet: sendmsg(2) and recvmsg(2), and what may come with them.
#include "os/packet.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "os/slow_close.h"
#include "os/syscalls.h"
#include "os/uninterrupted.h"

namespace comch::os {
namespace {

// What a peer can put into one packet (SCM_MAX_FD). There is room for all: what finds none the
// kernel itself lets go of, in our time, and that may be long (slow_close.h).
constexpr std::size_t kPeerFdsMax = 253;
// Packets that can lie in a socket, and more.
constexpr int kQueueMax = 4096;

template <std::size_t kFds>
struct Control {
  // With room for credentials, see empty_out().
  alignas(cmsghdr)
      std::array<std::byte, CMSG_SPACE(kFds * sizeof(int)) + CMSG_SPACE(sizeof(ucred))> bytes;
};

void attach(msghdr& message, Control<kPacketFds>& control, std::span<const int> fds) {
  if (fds.empty()) return;
  control.bytes.fill(std::byte{0});
  message.msg_control = control.bytes.data();
  message.msg_controllen = CMSG_SPACE(fds.size_bytes());
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(fds.size_bytes());
  std::memcpy(CMSG_DATA(header), fds.data(), fds.size_bytes());
}

ssize_t receive_once(const Fd& socket, msghdr& message) {
  return uninterrupted(
      [&] { return syscalls().recvmsg(socket.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC); });
}

// Hands each descriptor in `message` to `take`, which owns it from then on.
template <class Take>
void detach(msghdr& message, Take&& take) {
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
       header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int raw = -1;
      std::memcpy(&raw, CMSG_DATA(header) + i * sizeof raw, sizeof raw);
      take(Fd(raw));
    }
  }
}

// One packet as the kernel hands it out: its bytes to a buffer, and all that can come with them.
struct Arrival {
  iovec part;
  Control<kPeerFdsMax> control;
  msghdr message = {};
  ssize_t size = 0;  // Negative: there is none, see errno.

  Arrival(const Fd& socket, std::span<std::byte> buffer)
      : part{.iov_base = buffer.data(), .iov_len = buffer.size()} {
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.bytes.data();
    message.msg_controllen = control.bytes.size();
    size = receive_once(socket, message);
    // A peer that closes while it has unread packets makes the next call fail once, ahead
    // of what it had sent us before. The failure is used up now; what it sent is not.
    if (size < 0 && errno == ECONNRESET) size = receive_once(socket, message);
  }
  Arrival(const Arrival&) = delete;
  Arrival& operator=(const Arrival&) = delete;
};

void ask_for_credentials(const Fd& socket, int yes) {
  syscalls().setsockopt(socket.get(), SOL_SOCKET, SO_PASSCRED, &yes, sizeof yes);
}

// Takes the next packet of a socket that asks for credentials, by which an empty one is told from
// the end, and throws it away; its descriptors go to `found`. False: there is none.
bool discard_one(const Fd& socket, std::vector<Fd>& found) {
  std::byte none{};
  Arrival arrival(socket, std::span(&none, 1));
  if (arrival.size < 0 || (arrival.size == 0 && arrival.message.msg_controllen == 0)) return false;
  detach(arrival.message, [&](Fd fd) { found.push_back(std::move(fd)); });
  return true;
}

// Whether nothing lies in a socket, and nothing can come to: it has another end. What it has looked
// at goes to `found`.
bool is_empty(const Fd& socket, std::vector<Fd>& found) {
  ask_for_credentials(socket, 1);
  errno = 0;
  const bool was_empty = !discard_one(socket, found) && errno != ENOTCONN;
  ask_for_credentials(socket, 0);
  return was_empty;
}

// As far as there may wait more of it.
void empty_out(const Fd& socket, Sender sender) {
  std::vector<Fd> found;
  ask_for_credentials(socket, 1);
  for (int packets = 0; packets < kQueueMax && !has_too_many(sender); ++packets) {
    if (!discard_one(socket, found)) return;
    if (!found.empty()) close_elsewhere(std::exchange(found, {}), sender);
  }
}

// The descriptors that a packet has brought. What no correct peer sends is not kept, nor looked at:
// more than a packet may have, a second file, or a socket that is not empty. Sockets are only
// written to from here on: nothing can come to lie in one that it has to be waited for when it is
// closed.
void keep(msghdr& message, Packet& packet, Sender sender, Files files) {
  std::vector<Fd> all;
  detach(message, [&](Fd fd) { all.push_back(std::move(fd)); });
  std::vector<Fd> strange;
  if (all.size() > packet.fds.size()) strange.swap(all);
  for (Fd& fd : all) {
    const Closing closing = closing_of(fd);
    const bool is_file = closing == Closing::kSlow && files == Files::kTaken && !packet.file;
    if (is_file && is_regular_file(fd)) {
      packet.file = PeerFile(std::move(fd), sender);
      continue;
    }
    bool is_sound = closing != Closing::kSlow;
    if (closing == Closing::kOnceEmpty) {
      syscalls().shutdown(fd.get(), SHUT_RD);
      is_sound = is_empty(fd, strange);
    }
    if (is_sound) {
      packet.fds[packet.fd_count++] = std::move(fd);
    } else {
      strange.push_back(std::move(fd));
    }
  }
  if (strange.empty()) return;
  packet.truncated = true;
  close_elsewhere(std::move(strange), sender);
}

// Of what is kept: memory whose pages are freed by who closes it last.
bool holds_much(const Fd& fd) {
  constexpr std::size_t kBlock = 512;  // Of st_blocks, whatever the file system.
  struct stat is{};
  return syscalls().fstat(fd.get(), &is) == 0 &&
         static_cast<std::size_t>(is.st_blocks) >= kManyBytes / kBlock;
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

}  // namespace

Packet::~Packet() {
  std::vector<Fd> left;
  for (Fd& fd : fds) {
    if (fd && holds_much(fd)) left.push_back(std::move(fd));
  }
  free_elsewhere(std::move(left));
}

Status send(const Fd& socket, std::span<const std::byte> bytes, std::span<const int> fds) {
  if (fds.size() > kPacketFds) {
    return fail(Errc::invalid_value, "a packet does not carry so many descriptors");
  }
  // sendmsg() only reads what iov_base points to.
  iovec part{.iov_base = const_cast<std::byte*>(bytes.data()), .iov_len = bytes.size()};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  Control<kPacketFds> control;
  attach(message, control, fds);
  const ssize_t sent = uninterrupted(
      [&] { return syscalls().sendmsg(socket.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL); });
  if (sent >= 0) return {};
  switch (errno) {
    case EAGAIN:
      return fail(Errc::again, "the peer's queue is full", EAGAIN);
    case ENOBUFS:
    case ENOMEM:
    case EINTR:         // Many in a row.
    case ETOOMANYREFS:  // Descriptors that are sent and not received count as the sender's.
      return fail(Errc::again, "the kernel cannot take a packet at the moment", errno);
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

Result<Packet> receive(const Fd& socket, std::span<std::byte> buffer, Sender sender, Files files) {
  if (has_too_many(sender)) {
    return fail(Errc::connection_reset, "too much that its user has sent waits to be closed");
  }
  Arrival arrival(socket, buffer);
  if (arrival.size < 0) {
    if (errno == EAGAIN) return fail(Errc::again, "no packet is waiting", EAGAIN);
    return fail(Errc::operating_system, "no packet can be received", errno);
  }

  Packet packet;
  packet.size = static_cast<std::size_t>(arrival.size);
  packet.truncated = (arrival.message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0;
  // There is room for all that can come.
  packet.starved = (arrival.message.msg_flags & MSG_CTRUNC) != 0;
  keep(arrival.message, packet, sender, files);
  if (arrival.size == 0 && !packet.truncated && packet.fd_count == 0 && !packet.file) {
    const Result<bool> end = is_at_end(socket);
    if (!end) return std::unexpected(end.error());
    packet.end = *end;
  }
  return packet;
}

void hang_up(const Fd& socket, Sender sender) {
  syscalls().shutdown(socket.get(), SHUT_RDWR);
  std::vector<Fd> found;
  if (!has_too_many(sender) && is_empty(socket, found)) return;
  close_elsewhere(std::move(found), sender);
  // A second descriptor keeps what lies there from the close of the first.
  if (Fd rest(syscalls().duplicate(socket.get())); rest) {
    const auto empty = [rest = std::make_shared<Fd>(std::move(rest)), sender] {
      empty_out(*rest, sender);
    };
    return do_elsewhere(empty, sender);
  }
  empty_out(socket, sender);
}

}  // namespace comch::os
