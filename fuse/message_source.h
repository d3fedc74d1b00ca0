// MessageSource: where reads get messages from: one connection, all of a server's, one
// consumer, or the parts of one long message.
//
// Messages stay in the engine's bounded queue until somebody reads, so that a reader who
// does not come slows the sender down and not the daemon. A message whose answer was
// lost is given back and is the next one again.
//
//   if (auto message = source.take()) ...        // now
//   else source.waiting.hold(...), source.listen();   // or when it comes
//
// Threads: the loop's.
#pragma once

#include <optional>

#include "poll_set.h"
#include "read_queue.h"

namespace comch::fuse {

struct Message;

class MessageSource {
 public:
  virtual ~MessageSource() = default;

  // The next message. Its bytes are good until the source is asked anything else.
  virtual std::optional<Message> take() = 0;
  virtual bool has_message() = 0;

  // Messages that arrive from now on shall be offered to those who wait, and pollers
  // woken.
  virtual void listen() = 0;

  // The peer has ended: what is left can be read, and then there is no more.
  virtual bool is_ending() const = 0;
  // There is no more. Stays false for a server.
  virtual bool has_ended() const = 0;
  // Nothing comes unless something else is done first: the errno that says what, or 0.
  virtual int refusal() const { return 0; }
  // What a read at the end is told first: ECONNRESET when the peer was lost, else 0.
  virtual int loss() const { return 0; }
  virtual bool was_loss_told() const { return true; }
  virtual void set_loss_told() {}

  ReadQueue waiting;
  PollSet pollers;
};

}  // namespace comch::fuse
