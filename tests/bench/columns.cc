// Columns: widths, and digits.
#include "bench/columns.h"

#include <fmt/format.h>

#include <vector>

#include "bench/timing.h"

namespace comch::bench {

std::string in_columns(const Samples& samples, Distance distance) {
  const std::vector<double> figures = figures_at(distance, samples);
  if (figures.empty()) return fmt::format("{:>10} {:>6} {:>5}", "-", "", "");
  const double middle = median(figures);
  return fmt::format("{:>10.{}f} {:>5.0f}% {:>5}", middle, middle < 100 ? 2 : 1,
                     spread_percent(figures), figures.size());
}

std::string distance_heading(Distance distance) {
  return fmt::format("{:>23}", fmt::format("- {} -", name_of(distance)));
}

std::string column_heading() {
  return fmt::format("{:>10} {:>6} {:>5}", "MEDIAN", "SPREAD", "KEPT");
}

std::string ratio_in_words(std::optional<double> ratio) {
  return ratio ? fmt::format("{:.2f}", *ratio) : "-";
}

std::string ratio_in_words(std::optional<double> ratio, bool met) {
  return ratio ? fmt::format("{:.2f} {}", *ratio, met ? "met" : "MISSED") : "-";
}

}  // namespace comch::bench
