// Wake: how long it takes to reach a process that sleeps in io_uring_enter() and to hear of it;
// the asking process is awake meanwhile.
#pragma once

#include "bench/fact.h"
#include "bench/placement.h"
#include "bench/timing.h"

namespace comch::bench {

// By an eventfd that io_uring polls; the answer is a number in shared memory.
double bare_wake_ns(const Pair& pair, Duration idle, Duration duration);

// By a control message to a ring, and back; the ring has `crowd` connections more, that say
// nothing.
double ring_wake_ns(const Pair& pair, Duration idle, Duration duration, std::size_t crowd);

// What a ring with so many connections does while they say nothing.
Facts idle_ring(std::size_t crowd);

}  // namespace comch::bench
