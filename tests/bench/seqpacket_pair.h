// SEQPACKET pair: round trips of 64 bytes over a unix socket pair, what a program would use
// that knows nothing of comch: the measure for busy polling, and for sleeping.
#pragma once

#include "bench/placement.h"
#include "bench/timing.h"

namespace comch::bench {

// Both sides ask the socket again and again without waiting.
double seqpacket_busy_ns(const Pair& pair, Duration duration);
// Both sides sleep in recv(2).
double seqpacket_sleeping_ns(const Pair& pair, Duration duration);
// The same, asked after the answering side has slept for `idle`.
double seqpacket_wake_ns(const Pair& pair, Duration idle, Duration duration);

}  // namespace comch::bench
