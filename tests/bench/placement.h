// Placement: the two processors on which the two processes of a cell run.
//
// How fast two cores exchange a cache line decides every figure here, and a virtual machine's
// processors move between physical cores every second or so. So a pair is chosen by measuring
// it just before a cell, and measured again behind it; a cell is kept only when the pair was as
// far apart both times, and compared with those that were measured as far apart.
//
// Threads: measuring starts two of its own; call it while the process has no others.
// Errors: std::runtime_error where this process may not choose its processors.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace comch::bench {

struct Pair {
  int asker = 0;     // Where the measuring process runs.
  int answerer = 0;  // Where the other one runs.
};

// Which caches two processors share, told by the round trip of one line between them.
enum class Distance { kSiblings, kNear, kFar };

// Measured on two generations of servers: siblings of one core 35-80 ns, one last-level cache
// 95-150 ns, another one 440-590 ns.
constexpr Distance distance_of(double round_trip_ns) {
  if (round_trip_ns < 90) return Distance::kSiblings;
  return round_trip_ns < 300 ? Distance::kNear : Distance::kFar;
}

// Those of which there are figures, in the order in which they are printed.
inline constexpr std::array kMeasured{Distance::kNear, Distance::kFar};
constexpr std::string_view name_of(Distance distance) {
  switch (distance) {
    case Distance::kSiblings:
      return "within one core";
    case Distance::kNear:
      return "within one cache";
    case Distance::kFar:
      return "across caches";
  }
  return "?";
}

// The median round trip of a line between the two, both spinning.
double line_round_trip_ns(const Pair& pair);

struct Placed {
  Pair pair;
  Distance distance = Distance::kNear;
  double line_ns = 0;  // line_round_trip_ns(), when it was found.
};
// The fastest near pair, or, when there is none just now, the fastest far one; nothing when
// there is only one core.
std::optional<Placed> find_pair();
// The same pair, where it is just now.
Placed placed_now(const Pair& pair);
// Not only of one distance: within one cache a line takes 87 ns between some cores and 172 between
// others, and what is measured now between those and now between these has no ratio.
constexpr bool are_alike(const Placed& one, const Placed& other) {
  constexpr double kSlack = 1.1;
  return one.line_ns <= kSlack * other.line_ns && other.line_ns <= kSlack * one.line_ns;
}

// Any two processors, the same twice where there is only one: for runs that measure nothing.
Pair any_pair();

// The processors this process may run on.
std::vector<int> usable_processors();
void run_on(int processor);

}  // namespace comch::bench
