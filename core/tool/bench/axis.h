// LogAxis: values on a logarithmic scale, from one end of an axis to the other.
//
//   LogAxis axis = LogAxis::of_decades(values, 400, 20);   // y: 400 at the bottom, 20 on top
//   canvas.dot({x, axis.at(value)}, ...);
//   for (double tick : axis.decades()) ...
//
// Threads: values.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace comch::tool {

class LogAxis {
 public:
  // From the smallest to the largest of the values, which are above 0.
  static LogAxis of_values(const std::vector<double>& values, double from, double to) {
    if (values.empty()) return {1, 10, from, to};
    const auto [low, high] = std::ranges::minmax(values);
    if (low < high) return {low, high, from, to};
    return {low / 2, high * 2, from, to};  // One value: in the middle.
  }

  // The same, widened to whole powers of ten.
  static LogAxis of_decades(const std::vector<double>& values, double from, double to) {
    const LogAxis axis = of_values(values, from, to);
    return {std::pow(10, std::floor(std::log10(axis.low_) + kSlack)),
            std::pow(10, std::ceil(std::log10(axis.high_) - kSlack)), from, to};
  }

  double at(double value) const {
    const double share = std::log(value / low_) / std::log(high_ / low_);
    return from_ + share * (to_ - from_);
  }

  // The powers of ten on it.
  std::vector<double> decades() const {
    std::vector<double> ticks;
    const auto last = static_cast<int>(std::floor(std::log10(high_) + kSlack));
    for (auto power = static_cast<int>(std::ceil(std::log10(low_) - kSlack)); power <= last;
         ++power) {
      ticks.push_back(std::pow(10, power));
    }
    return ticks;
  }

 private:
  // What rounding may take from a power of ten.
  static constexpr double kSlack = 1e-9;

  LogAxis(double low, double high, double from, double to)
      : low_(low), high_(high), from_(from), to_(to) {}

  double low_;
  double high_;
  double from_;
  double to_;
};

}  // namespace comch::tool
