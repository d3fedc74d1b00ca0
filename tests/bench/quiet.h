// Quiet: whether processors have their cores to themselves.
//
//   const bool before = is_quiet(pair);  ...  const bool behind = is_quiet(pair);
//
// A processor of a virtual machine often shares its core with one of another machine's. What is
// computed there then takes up to twice as long, and lines move as fast as ever: so what computes
// much between two lines has another ratio to what does not. How many instructions that wait for
// nothing it does in a cycle tells, beside the most that were ever seen in this process, and what
// any core does that has nobody beside it.
//
// Threads: measuring starts two of its own; one caller. Errors: as placement.h.
#pragma once

#include "bench/placement.h"

namespace comch::bench {

// Just now.
bool is_quiet(const Pair& pair);

}  // namespace comch::bench
