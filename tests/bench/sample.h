// Sample: one figure of a cell, and how far apart its processors were meanwhile.
//
//   median(figures_at(Distance::kNear, cell.samples))
//
// Values; no errors.
#pragma once

#include <optional>
#include <vector>

#include "bench/placement.h"

namespace comch::bench {

struct Sample {
  double figure = 0;
  int round = 0;
  std::optional<Distance> distance = {};  // Nothing where it does not matter, or is not known.

  // One that was not placed stands beside those of either distance.
  bool is_of(Distance asked) const { return !distance || *distance == asked; }
};

using Samples = std::vector<Sample>;

std::vector<double> figures_at(Distance distance, const Samples& samples);
// Of each round in which there is a figure of both.
std::vector<double> ratios_at(Distance distance, const Samples& of, const Samples& to);

// The distance between the quartiles, in per cent of the median.
double spread_percent(std::vector<double> figures);

}  // namespace comch::bench
