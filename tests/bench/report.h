// Report: cells and facts as a table, or as JSON, with every ratio beside its goal.
//
// Figures are medians over the rounds, apart for each distance of processors; the spread is the
// distance between the quartiles, in per cent of the median: a ratio that is off its goal by less
// than the spread says nothing.
#pragma once

#include <string>
#include <vector>

#include "bench/bound.h"
#include "bench/cell.h"
#include "bench/fact.h"

namespace comch::bench {

// A promise: cell `of` over cell `to`, both by name, as the median of what it is in each round.
struct Goal {
  std::string name;
  std::string of;
  std::string to;
  Bound bound;
};

void print_table(const std::vector<Cell>& cells, const std::vector<Goal>& goals,
                 const Facts& facts);
void print_json(const std::vector<Cell>& cells, const std::vector<Goal>& goals, const Facts& facts);

}  // namespace comch::bench
