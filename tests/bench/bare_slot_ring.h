// Bare slot ring: messages of 64 bytes one way, as fast as two cores can without batching: the
// measure for a rate.
//
// One line pair per message, published by its own sequence number; the reader tells its
// position every eighth of the ring, and that is all the flow control there is.
#pragma once

#include "bench/placement.h"
#include "bench/timing.h"

namespace comch::bench {

// Millions of messages a second.
double bare_rate(const Pair& pair, Duration duration);

}  // namespace comch::bench
