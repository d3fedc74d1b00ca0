// FastPlan: the words for ways.
#include "tool/bench/fast_plan.h"

#include <array>

namespace comch::tool {
namespace {

constexpr std::array<std::string_view, kWays> kNames{"auto", "mapped", "staged",
                                                     "cma",  "loan",   "hand-over"};

}  // namespace

std::string_view name(Way way) { return kNames.at(static_cast<std::size_t>(way)); }

std::optional<Way> parse_way(std::string_view word) {
  for (std::size_t n = 0; n < kWays; ++n) {
    if (word == kNames.at(n)) return static_cast<Way>(n);
  }
  return std::nullopt;
}

}  // namespace comch::tool
