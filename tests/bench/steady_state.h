// Steady state: what the control path asks for while it is busy: memory and system calls, per
// message, counted in a client that sends 64 bytes and receives as many.
//
// The promise is none of either; the engine's look at the kernel, which it takes by the clock
// and not by the message, is counted apart.
#pragma once

#include <cstdint>

#include "bench/fact.h"

namespace comch::bench {

Facts steady_state(std::uint64_t round_trips);

}  // namespace comch::bench
