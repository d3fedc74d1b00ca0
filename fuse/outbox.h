// Outbox: what is on its way into the peer's queue of one connection.
//
// As long as there is room a message is sent at once and nothing is kept. When there is
// none, sends wait here in the order they came; a later one never overtakes, not even
// one that could be sent.
//
//   Status sent = outbox.send(message);          // again: no room, or others wait
//   if (again) outbox.wait(std::make_unique<HeldMessage>(...));
//
// Threads: the loop's. Lifetime: outlives its connection; after end() every send fails.
#pragma once

#include <cerrno>
#include <cstddef>
#include <list>
#include <memory>
#include <span>
#include <vector>

#include "comch/connection.h"
#include "engine_host.h"
#include "poll_set.h"

namespace comch::fuse {

// Something that waits for room: a held write, or a put whose file is closed.
class WaitingSend {
 public:
  virtual ~WaitingSend() = default;
  // Lets signals in, before it is queued. False: it is over already.
  virtual bool admit() { return true; }
  // There may be room. True: this is over, and whoever wrote has an answer.
  virtual bool retry() = 0;
  // There will be no room any more.
  virtual void fail(int error) = 0;
};

class Outbox {
 public:
  Outbox(EngineHost& host, Connection& connection) : host_(host), connection_(&connection) {}

  // again: no room. connection_reset: the peer is gone. too_big. Else as try_send().
  Status send(std::span<const std::byte> message);
  // The same for the oldest of those who wait.
  Status send_first(std::span<const std::byte> message);

  // Puts `send` behind the others; its retry() is called when there may be room.
  void wait(std::unique_ptr<WaitingSend> send);
  void leave(const WaitingSend& send);

  bool has_room() const;
  bool is_over() const;  // Nothing can be sent any more.
  // Wakes pollers as soon as there is room.
  void listen();

  void on_space();  // The engine's callback.
  // After progress(): a peer that is gone makes no room, but everybody has to hear.
  void check();
  // The connection is no more, or the object: whoever waits gets `error`.
  void end(int error);
  // Whoever waits gets ECANCELED; the connection goes on.
  void cancel() { fail_all(ECANCELED); }

  std::size_t max_message_size() const { return max_message_size_; }
  std::size_t waiting() const { return sends_.size(); }
  bool needs_check() const { return !sends_.empty() || !pollers.empty(); }

  PollSet pollers;

 private:
  void fail_all(int error);

  EngineHost& host_;
  Connection* connection_;
  const std::size_t max_message_size_ = connection_->max_message_size();
  std::list<std::unique_ptr<WaitingSend>> sends_;
};

}  // namespace comch::fuse
