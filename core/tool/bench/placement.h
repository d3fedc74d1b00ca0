// Placement: the two processors that a benchmark's two processes run on.
//
// How fast two processors exchange a cache line decides most figures, and a pair that shares
// a cache today may not tomorrow on a virtual machine. So find_near_pair() measures, before
// each row of a benchmark.
//
// Threads: find_near_pair() starts and ends two of its own; the caller stays where it may run.
// Errors: run_on() complains; find_near_pair() has no pair where threads may not choose.
#pragma once

#include <optional>
#include <vector>

#include "tool/complaint.h"

namespace comch::tool {

struct ProcessorPair {
  int own = -1;  // -1: anywhere.
  int peer = -1;
  friend bool operator==(const ProcessorPair&, const ProcessorPair&) = default;
};

// The pair of usable processors between which a cache line goes to and fro fastest.
std::optional<ProcessorPair> find_near_pair();

// The processors that this process may use.
std::vector<int> usable_processors();

// Keeps this thread on one processor; -1 changes nothing.
Outcome<> run_on(int processor);

}  // namespace comch::tool
