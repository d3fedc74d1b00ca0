// Ring calls: what a ring asks of the kernel and of the allocator for each message, while its
// peer is awake, counted in a process that sends 64 bytes and receives as many.
//
// The promise is nothing of either; the engine's look at the kernel, which it takes by the clock
// and not by the message, is counted apart.
#pragma once

#include <cstdint>

#include "bench/fact.h"

namespace comch::bench {

Facts ring_calls(std::uint64_t round_trips);

}  // namespace comch::bench
