// Mixed: one loop that echoes 64 bytes for a TCP connection, for a channel, or for both.
#pragma once

#include "bench/placement.h"
#include "bench/timing.h"

namespace comch::bench {

// The median round trip of the one that is timed; `beside`: while the other one is as busy.
double tcp_round_trip_ns(const Pair& pair, Duration duration, bool beside);
double channel_round_trip_ns(const Pair& pair, Duration duration, bool beside);

}  // namespace comch::bench
