// Workload: what the two processes of a cell do, the same for every subject.
//
//   Workload{Shape::kOneWay, 64 * kKib}      "one way 64 KiB", in GB/s
//
// Figures: nanoseconds for a round trip, messages a second for everything else; figure_in()
// turns them into the workload's unit. Values; no errors.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace comch::bench {

inline constexpr std::size_t kKib = 1024;
inline constexpr std::size_t kMib = 1024 * kKib;
inline constexpr std::size_t kGib = 1024 * kMib;

enum class Shape {
  kRoundTrip,  // A message there, and one of the same size back.
  kOneWay,     // Out of the sender's memory, to where the receiver reads it.
  kRead,       // The same, and the receiver looks at every line of it (reading.h).
  kBatched,    // The same, published 64 messages at a time.
  kInPlace,    // Built where the receiver reads it: nothing is copied.
  kCopy,       // No message at all: one process copies.
};

struct Workload {
  Shape shape = Shape::kRoundTrip;
  std::size_t bytes = 0;

  friend bool operator==(const Workload&, const Workload&) = default;
};

inline constexpr std::size_t kPublishedAtOnce = 64;  // Messages, of Shape::kBatched.

std::vector<Workload> joined(std::vector<Workload> workloads, const std::vector<Workload>& more);

std::string name_of(const Workload& workload);
std::string_view unit_of(const Workload& workload);
// Nanoseconds, or messages a second, in the unit above.
double figure_in_unit(const Workload& workload, double figure);
// Whether the smaller figure is the better one.
constexpr bool less_is_better(const Workload& workload) {
  return workload.shape == Shape::kRoundTrip;
}

}  // namespace comch::bench
