// FastServer: the receiving process of a fast-path benchmark: consumers, and the producers of
// their answers.
//
//   serve_fast(plan, name, ready);      // what a Peer does
//
// Threads: its process's first, and one for each consumer while there is something to measure.
// Order: it calls ready() when it can be connected to, and returns when its client has left.
#pragma once

#include <string>

#include "tool/bench/fast_plan.h"
#include "tool/bench/peer.h"
#include "tool/complaint.h"

namespace comch::tool {

Outcome<> serve_fast(const FastPlan& plan, const std::string& name, const Ready& ready);

}  // namespace comch::tool
