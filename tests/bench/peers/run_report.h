// Run report: a run as a table, or as JSON.
//
// Under each workload every subject's median, the distance between the quartiles in per cent of
// it, how many samples were kept, and its ratio to the first subject of that workload that was
// measured: for rates more is better, for round trips less. All of it within one cache, and
// across caches. Below, each goal of a cell in the run.
#pragma once

#include "bench/peers/run.h"

namespace comch::bench {

void print_names(const Run& run);
void print_table(const Run& run, const std::vector<FastGoal>& goals);
void print_json(const Run& run, const std::vector<FastGoal>& goals);

}  // namespace comch::bench
