// Event: a bell that another thread or process can ring, and that poll() can hear.
//
//   Event bell = Event::create().value();
//   bell.signal();             // Readable from now on, however often it is rung,
//   bell.drain();              // until it is drained.
//
// It is an eventfd, for the threads of this process. It must not travel to a peer, nor
// must a peer's be rung: whether a write to it may block is a flag of the descriptor
// that both would share, so a peer could clear the flag, fill the counter and hold us
// for ever. A peer is rung with one send() on a SeqSocket (packet.h), which never
// blocks, whatever the peer does to its end.
//
// Threads: any.
#pragma once

#include <utility>

#include "comch/result.h"
#include "os/fd.h"

namespace comch::os {

class Event {
 public:
  // operating_system: see sys.
  static Result<Event> create();

  Event() = default;
  explicit operator bool() const { return static_cast<bool>(fd_); }

  void signal() const;

  // True: it had been rung since the last drain.
  bool drain() const;

  const Fd& fd() const { return fd_; }

 private:
  explicit Event(Fd fd) : fd_(std::move(fd)) {}

  Fd fd_;
};

}  // namespace comch::os
