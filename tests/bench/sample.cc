// Sample: what can be said of several.
#include "bench/sample.h"

#include <algorithm>

#include "bench/timing.h"

namespace comch::bench {

std::vector<double> figures_at(Distance distance, const Samples& samples) {
  std::vector<double> figures;
  for (const Sample& sample : samples) {
    if (sample.is_of(distance)) figures.push_back(sample.figure);
  }
  return figures;
}

double spread_percent(std::vector<double> figures) {
  if (figures.size() < 2) return 0;
  std::ranges::sort(figures);
  const double quartiles = figures[figures.size() * 3 / 4] - figures[figures.size() / 4];
  return 100 * quartiles / median(figures);
}

}  // namespace comch::bench
