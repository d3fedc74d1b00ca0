// Reactor: what a carrier may ask of the progress engine: to be told when the kernel has
// something on a descriptor, and when a moment has come; and how to look at memory that a peer is
// about to write.
//
// Threads: everything here runs on the engine's thread, inside progress().
// Lifetime: the reactor outlives every Readiness and Alarm it was given; both may be
// withdrawn at any time, also from inside a call of theirs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "comch/result.h"
#include "transport/gap.h"
#include "transport/next_answer.h"
#include "transport/patience.h"

namespace comch::transport {

// Somebody who reads a descriptor.
class Readiness {
 public:
  // The descriptor is readable, or at its end. What is not read now is told again.
  virtual void on_readable() = 0;

 protected:
  ~Readiness() = default;
};

// Somebody who waits for a moment. An alarm rings once each time it is set.
class Alarm {
 public:
  virtual void on_alarm() = 0;

  static constexpr std::uint64_t kNotSet = ~std::uint64_t{0};
  std::uint64_t due_ns = kNotSet;  // Written by the reactor only.

 protected:
  ~Alarm() = default;
};

class Reactor {
 public:
  virtual Status watch(int fd, Readiness& who) = 0;
  virtual void unwatch(int fd) = 0;

  // Rings `alarm` at or after `due_ns` of the monotonic clock; setting it again moves it.
  virtual void set_alarm(Alarm& alarm, std::uint64_t due_ns) = 0;
  virtual void clear_alarm(Alarm& alarm) = 0;
  virtual std::uint64_t now_ns() const = 0;

  // One for all that is polled: who answers through one port waits at another.
  Patience& patience() { return patience_; }
  NextAnswer& next_answer() { return next_answer_; }
  // Of what the engine polls; who polls by himself has one of his own.
  Gap& gap() { return gap_; }

 protected:
  ~Reactor() = default;

 private:
  Patience patience_;
  NextAnswer next_answer_;
  Gap gap_;
};

}  // namespace comch::transport
