// Columns: what the reports say of a cell and of a goal at each distance, side by side.
//
//   fmt::print("{:<20} {}\n", cell.name, in_columns(cell.samples, Distance::kNear));
//
// Of samples it is their median, the spread in per cent of it, and how many there are.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bench/sample.h"

namespace comch::bench {

inline constexpr std::string_view kNoPair = "no pair of processors was found, or none stayed so";

std::string in_columns(const Samples& samples, Distance distance);
// What stands above, in two lines.
std::string distance_heading(Distance distance);
std::string column_heading();

// A ratio to two digits, or a dash; and whether it met its goal.
std::string ratio_in_words(std::optional<double> ratio);
std::string ratio_in_words(std::optional<double> ratio, bool met);

// In JSON.
constexpr std::string_view key_of(Distance distance) {
  return distance == Distance::kFar ? "across" : "within";
}

}  // namespace comch::bench
