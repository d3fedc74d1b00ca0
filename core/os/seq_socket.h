// SeqSocket: the unix sockets on which two processes meet.
//
// All are SOCK_SEQPACKET (packets keep their edges, and the end of the connection is
// told), non-blocking and close-on-exec. They live in a directory that is named by
// descriptor, so that the directory's path may be longer than sun_path; the name inside
// it must be short (kSocketNameMax).
//
//   Fd listener = listen_at(directory, "sock", 128).value();
//   Fd caller = connect_at(directory, "sock").value();
//   std::optional<Fd> callee = accept(listener).value();
//
// packet.h sends and receives on them; peer_credentials.h says who is at the other end.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "comch/result.h"
#include "os/fd.h"

namespace comch::os {

// sun_path holds 108 bytes; "/proc/self/fd/2147483647/" and the NUL take 26 of them.
inline constexpr std::size_t kSocketNameMax = 82;

// A listening socket bound to `name` in `directory`, which anybody who can reach the
// directory may connect to: who is admitted is decided after peer_credentials().
// A stale socket of that name is not removed: unlink_at() it first, holding its lock.
// already_exist: the name is there. too_big: it is above kSocketNameMax.
// operating_system: see sys. On failure no socket file is left.
Result<Fd> listen_at(const Fd& directory, const char* name, int backlog);

// A socket connected to `name` in `directory`; at once, or not at all.
// not_found: there is no such socket, or nobody listens on it. again: the backlog is
// full. not_permitted: the directory's or the socket's mode keeps us out. too_big: as
// above. operating_system: see sys.
Result<Fd> connect_at(const Fd& directory, const char* name);

// The next caller, or nothing when none is waiting. From Linux 6.16 on it cannot send descriptors
// (slow_close.h says what harm they do) before take_descriptors() lets it.
// operating_system with EMFILE or ENFILE: no descriptor left; the caller still waits,
// see ReserveFd.
Result<std::optional<Fd>> accept(const Fd& listener);

void take_descriptors(const Fd& socket);

// Two connected sockets.
Result<std::pair<Fd, Fd>> pair();

// Ends both directions without closing the descriptor: its owner, on whatever thread, finds the
// end of the connection there.
void shut_down(const Fd& socket);

// One descriptor kept for the day there is none left. A listener whose caller cannot be
// accepted stays readable, and its owner would turn in circles; ReserveFd lets go of
// its own, accepts the caller on it, hangs up, and takes a new one.
class ReserveFd {
 public:
  // operating_system: see sys.
  static Result<ReserveFd> create();

  // Hangs up on one waiting caller. False: none was waiting, or nothing could be done
  // because the reserve was lost to another thread; it is sought again at each call.
  bool refuse_one(const Fd& listener);

  bool held() const { return static_cast<bool>(fd_); }

 private:
  explicit ReserveFd(Fd fd) : fd_(std::move(fd)) {}

  Fd fd_;
};

}  // namespace comch::os
