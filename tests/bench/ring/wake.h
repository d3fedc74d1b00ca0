// Wake: how long it takes to reach a process that sleeps in io_uring_enter() and to hear of it;
// the asking process is awake meanwhile. Who was woken counts that in shared memory.
#pragma once

#include <cstddef>
#include <optional>

#include "bench/fact.h"
#include "bench/placement.h"
#include "bench/timing.h"

namespace comch::bench {

// Two processes that sleep on one processor, and are woken in turns within each sample: a host
// looks after a processor that sleeps in ways that change by the second, and by a quarter.
class Wakes {
 public:
  // The ring has `crowd` connections more, that say nothing.
  Wakes(Duration idle, Duration duration, std::size_t crowd)
      : idle_(idle), duration_(duration), crowd_(crowd) {}

  // By an eventfd that io_uring polls.
  double bare_ns(const Pair& pair) {
    measure(pair);
    return bare_ns_;
  }
  // By a control message to a ring. It is what the last call of bare_ns() has found there, if that
  // was for the same pair.
  double ring_ns(const Pair& pair);

 private:
  void measure(const Pair& pair);

  const Duration idle_;
  const Duration duration_;
  const std::size_t crowd_;
  std::optional<Pair> measured_;  // Where, and not asked for yet.
  double bare_ns_ = 0;
  double ring_ns_ = 0;
};

// What a ring with so many connections does while they say nothing.
Facts idle_ring(std::size_t crowd);

}  // namespace comch::bench
