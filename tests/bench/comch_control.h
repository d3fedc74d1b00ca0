// comch control: the control path between two processes, over the public API.
#pragma once

#include "bench/control_plan.h"
#include "bench/placement.h"

namespace comch::bench {

// The median round trip of 64 bytes.
double control_round_trip_ns(const Pair& pair, const ControlPlan& plan);
// Millions of messages of 64 bytes a second, one way.
// Round trips of a server that has slept for a while, by a client that asks after `idle`.
double control_wake_ns(const Pair& pair, Duration idle, const ControlPlan& plan);
double control_rate(const Pair& pair, ControlPlan plan);

}  // namespace comch::bench
