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

std::vector<double> ratios_at(Distance distance, const Samples& of, const Samples& to) {
  std::vector<double> ratios;
  for (const Sample& one : of) {
    const auto other = std::ranges::find_if(to, [&](const Sample& sample) {
      return sample.round == one.round && sample.is_of(distance);
    });
    if (one.is_of(distance) && other != to.end()) ratios.push_back(one.figure / other->figure);
  }
  return ratios;
}

double spread_percent(std::vector<double> figures) {
  if (figures.size() < 2) return 0;
  std::ranges::sort(figures);
  const double quartiles = figures[figures.size() * 3 / 4] - figures[figures.size() / 4];
  return 100 * quartiles / median(figures);
}

}  // namespace comch::bench
