// Goals of the fast path: what its cells must reach, beside limits and peers of the same run.
//
// A ratio is taken round by round, of two samples measured within one round, and its figure is
// the median of those: what slowed a whole round down is in both. Both are of one distance; the
// bounds were found within one cache. `to` may name several cells;
// then the best of them counts, in each round. Without `to` the figure itself is what counts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/bound.h"
#include "bench/peers/workload.h"

namespace comch::bench {

struct CellName {
  Workload workload;
  std::string_view subject;
};

struct FastGoal {
  CellName of;
  std::vector<CellName> to;
  Bound bound;
};

// As "one way 64 B: comch_task to slot_ring".
std::string name_of(const FastGoal& goal);

// A goal whose `of` is no cell of a run is not printed.
std::vector<FastGoal> fast_goals();

}  // namespace comch::bench
