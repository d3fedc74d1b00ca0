// Bare ping-pong: what the memory between two cores can do: the measure for a round trip.
//
// A message is a sequence number and 64 bytes in slots of two adjacent lines; each side polls
// with one PAUSE per look, copies the message out, and copies its own in.
#pragma once

#include "bench/placement.h"
#include "bench/timing.h"

namespace comch::bench {

double bare_round_trip_ns(const Pair& pair, Duration duration);

}  // namespace comch::bench
