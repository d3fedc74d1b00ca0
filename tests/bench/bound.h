// Bound: what a ratio or a figure must be: so much at most, or at least.
//
//   const Bound bound = at_most(1.25);
//   fmt::print("{} {}\n", in_words(bound), bound.met_by(1.1));      // at most 1.25 true
//
// Values; no errors.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace comch::bench {

struct Bound {
  enum class Kind { kAtMost, kAtLeast };
  Kind kind;
  double value;

  bool met_by(double figure) const {
    return kind == Kind::kAtMost ? figure <= value : figure >= value;
  }
};

constexpr Bound at_most(double value) { return {Bound::Kind::kAtMost, value}; }
constexpr Bound at_least(double value) { return {Bound::Kind::kAtLeast, value}; }

inline std::string in_words(const Bound& bound) {
  return fmt::format("{} {:g}", bound.kind == Bound::Kind::kAtMost ? "at most" : "at least",
                     bound.value);
}

// In JSON.
constexpr std::string_view key_of(const Bound& bound) {
  return bound.kind == Bound::Kind::kAtMost ? "at_most" : "at_least";
}

}  // namespace comch::bench
