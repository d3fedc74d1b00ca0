// Ratio: how the figures of one API compare with those of another.
//
//   Ratio ratio = median_ratio(rounds_of_one, rounds_of_other);
//
// Threads: values.
#pragma once

#include <cstddef>
#include <span>

#include "tool/bench/figures.h"

namespace comch::tool {

// 1: as much; of times less is better, of the rate more.
struct Ratio {
  std::size_t size = 0;
  double p50 = 0;
  double p99 = 0;
  double p999 = 0;
  double messages_per_second = 0;
};

// The ratio of each round to the other's round of the same number, and of each column the
// median: a round that was disturbed does not count. As many rounds of both, at least one.
Ratio median_ratio(std::span<const Figures> of, std::span<const Figures> to);

}  // namespace comch::tool
