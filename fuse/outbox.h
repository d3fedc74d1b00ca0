// Outbox: what is on its way to the other side, of one connection or of one producer.
//
// As long as there is room a message is sent at once and nothing is kept. When there is
// none, sends wait here in the order they came; a later one never overtakes, not even
// one that could be sent.
//
//   Status sent = outbox.send(message);          // again: no room, or others wait
//   if (again) outbox.wait(std::make_unique<HeldWrite>(...));
//
// A put that is sent in parts has its place before all others until it is complete: in between
// everything else of this outbox waits, even where there is room.
//
// Threads: the loop's. Lifetime: outlives what it sends through; after end() every send
// fails.
#pragma once

#include <cerrno>
#include <cstddef>
#include <list>
#include <memory>
#include <span>

#include "comch/result.h"
#include "engine_host.h"
#include "poll_set.h"
#include "put.h"

namespace comch::fuse {

// Something that waits for room: a held write, or a put whose file is closed.
class WaitingSend {
 public:
  enum class Place : std::uint8_t { kLast, kFirst };

  virtual ~WaitingSend() = default;
  // Lets signals in, before it is queued. False: it is over already.
  virtual bool admit() { return true; }
  // There may be room. True: this is over, and whoever wrote has an answer.
  virtual bool retry() = 0;
  // There will be no room any more.
  virtual void fail(int error) = 0;
  // Whoever wrote has an answer already: this must not be forgotten when the object goes.
  virtual bool is_promised() const { return false; }
  // First: it is of the put that is being sent in parts.
  virtual Place place() const { return Place::kLast; }
};

class Outbox {
 public:
  using Place = WaitingSend::Place;

  explicit Outbox(EngineHost& host) : host_(host) {}
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;
  virtual ~Outbox() = default;

  // again: no room. too_big. What refusal() says, if it says anything. Else as the library.
  Status send(std::span<const std::byte> message);
  // The same for the oldest of those who wait.
  virtual Status send_first(std::span<const std::byte> message) = 0;
  virtual std::size_t max_message_size() const = 0;
  // Of a message above that: what is said.
  virtual const char* why_too_long() const { return "the message is too long"; }
  // A message that is written piece by piece.
  virtual std::unique_ptr<Put> begin_put() = 0;

  // Puts `send` at its place; its retry() is called when it is its turn and there may be room.
  void wait(std::unique_ptr<WaitingSend> send);
  void leave(const WaitingSend& send);

  // Others are first: whoever has not begun has to wait.
  bool is_taken() const { return refusal() == 0 && (is_within_put() || !sends_.empty()); }
  bool has_room() const { return refusal() == 0 && !is_taken() && can_send(); }
  // Why nothing can be sent: an errno, or 0; and in words, with what to do about it.
  virtual int refusal() const = 0;
  virtual const char* why_refused() const = 0;
  // Wakes pollers as soon as there is room for what has this place.
  void listen(Place place = Place::kLast);

  void on_space();  // The engine's callback.
  // After progress(): a peer that is gone makes no room, but everybody has to hear.
  void check();
  // Whoever waits gets ECANCELED; the object goes on.
  void cancel() { fail_all(ECANCELED); }
  // Whoever waits for an answer gets `error`; what was promised goes on waiting.
  void fail_writers(int error);

  std::size_t waiting() const { return sends_.size(); }
  bool needs_check() const { return !sends_.empty() || !pollers.empty(); }

  PollSet pollers;

 protected:
  // Whether send_first() may find room.
  virtual bool can_send() const = 0;
  // Parts of a put are sent, and not the last. Its end calls listen().
  virtual bool is_within_put() const { return false; }
  // Whether it makes sense to wait for room.
  virtual bool is_reachable() const { return refusal() == 0; }
  // Asks the engine for one call of on_space().
  virtual void request_space() = 0;
  void fail_all(int error);

 private:
  using Sends = std::list<std::unique_ptr<WaitingSend>>;

  bool may_go_on(Place place) const { return place == Place::kFirst || !is_within_put(); }

  EngineHost& host_;
  Sends sends_;
  bool is_serving_ = false;  // A send that ends may make room for others, and so call back.
};

}  // namespace comch::fuse
