// Ratio: column by column.
#include "tool/bench/ratio.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace comch::tool {
namespace {

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

template <class Column>
double median_of(std::span<const Figures> of, std::span<const Figures> to, const Column& column) {
  std::vector<double> ratios;
  ratios.reserve(of.size());
  for (std::size_t n = 0; n < of.size(); ++n) ratios.push_back(column(of[n]) / column(to[n]));
  return median(std::move(ratios));
}

}  // namespace

Ratio median_ratio(std::span<const Figures> of, std::span<const Figures> to) {
  const auto round_trip = [&](double share) {
    return median_of(of, to, [share](const Figures& figures) {
      return static_cast<double>(figures.round_trips.ns.percentile(share));
    });
  };
  const auto rate = [](const Figures& figures) { return figures.one_way.messages_per_second(); };
  return {.size = of.front().size,
          .p50 = round_trip(0.5),
          .p99 = round_trip(0.99),
          .p999 = round_trip(0.999),
          .messages_per_second = median_of(of, to, rate)};
}

}  // namespace comch::tool
