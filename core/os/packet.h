// Packet: what travels on a SeqSocket: some bytes, and perhaps descriptors.
//
//   Status s = send(socket, bytes, std::array{memfd.get(), event.get()});
//   ...
//   Result<Packet> packet = receive(socket, buffer);   // again: nothing there
//   if (packet->end) ...                                // the peer is gone
//
// A peer may send what it likes: packets that are empty, too long, or full of
// descriptors. None of that costs more than the fields below.
//
// Threads: any; packets of one direction keep their order.
// Lifetime: the descriptors of a packet are the packet's, and ours once received. A socket that
// came in one can be written to and no longer read.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "comch/result.h"
#include "os/fd.h"
#include "os/peer_file.h"
#include "os/slow_close.h"

namespace comch::os {

inline constexpr std::size_t kPacketFds = 4;  // All a handshake needs; see core/FORMAT.md.

struct Packet {
  Packet() = default;
  Packet(Packet&&) noexcept = default;
  Packet& operator=(Packet&&) noexcept = default;
  ~Packet();  // Memory that nobody has taken is freed elsewhere, if it is much (slow_close.h).

  std::size_t size = 0;            // Bytes in the caller's buffer.
  std::array<Fd, kPacketFds> fds;  // The first fd_count are set.
  std::size_t fd_count = 0;
  PeerFile file;           // kTaken: the one among them that is slow to close.
  bool end = false;        // The peer has hung up and nothing is left; all else is empty.
  bool starved = false;    // Descriptors were lost, for this process may have no more.
  bool truncated = false;  // Bytes or descriptors were lost: they did not fit, or no correct peer
                           // sends them (neither memory, nor an empty SeqSocket, nor a file that
                           // is taken), or starved.
};

// Sends one packet, whole, or nothing of it. The descriptors stay the caller's.
// again: the peer's queue is full (EAGAIN), or the kernel has no memory for it, or no room for more
// descriptors under way, at the moment (ENOBUFS, ENOMEM, ETOOMANYREFS). connection_reset: the peer
// is gone. too_big: more bytes than a packet can have. invalid_value: more than kPacketFds
// descriptors, or one that is none. operating_system: see sys.
Status send(const Fd& socket, std::span<const std::byte> bytes, std::span<const int> fds = {});

// Ends both directions, for good, and reads what still lies there. Whoever is about to close a
// socket that a peer could write to hangs up first: what the kernel finds in a socket that is
// closed it lets go of in our time, and a descriptor in there may make that long (slow_close.h).
void hang_up(const Fd& socket, Sender sender = {});

// Whether one regular file may come with a packet. Memory is no file.
enum class Files : std::uint8_t { kRefused, kTaken };

// Receives the next packet; what the peer sent before it went is handed out before
// its end. `sender`: whose the other end is.
// again: nothing is waiting. connection_reset: too much waits already that the sender's user has
// sent (slow_close.h). operating_system: see sys.
Result<Packet> receive(const Fd& socket, std::span<std::byte> buffer, Sender sender = {},
                       Files files = Files::kRefused);

}  // namespace comch::os
