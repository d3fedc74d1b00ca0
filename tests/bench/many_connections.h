// Many connections: a server with a crowd of clients that say nothing, and one that talks.
//
// The crowd lives in one more process, on any processor, and sleeps.
#pragma once

#include "bench/control_plan.h"
#include "bench/fact.h"
#include "bench/placement.h"

namespace comch::bench {

// The round trip of the one that talks, beside `idle` that do not.
double crowded_round_trip_ns(const Pair& pair, const ControlPlan& plan, std::size_t idle);

// What each of `idle` connections costs both processes in memory.
Facts memory_of_connections(std::size_t idle);

// So many connections need more descriptors than a shell gives; takes what it may have.
void raise_descriptor_limit();

}  // namespace comch::bench
