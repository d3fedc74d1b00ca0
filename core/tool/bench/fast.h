// Measurements of the fast path, between producers of this process and consumers of another.
//
//   auto figures = measure_fast({.size = 4096, .way = Way::kMapped, .seconds = 0.5});
//
// Round trips: each producer sends one message and has it back from a producer of the other
// process before it sends the next, all of them at the same time. One way: each sends to all
// consumers in turn, as fast as they take it.
//
// Threads: one measurement at a time, with threads of its own.
// Errors: complaints; a measurement whose peer fails is no measurement.
#pragma once

#include "tool/bench/fast_plan.h"
#include "tool/bench/figures.h"
#include "tool/complaint.h"

namespace comch::tool {

Outcome<Figures> measure_fast(const FastPlan& plan);

}  // namespace comch::tool
