// Workload: names and units.
#include "bench/peers/workload.h"

#include <fmt/format.h>

namespace comch::bench {
namespace {

std::string_view name_of(Shape shape) {
  switch (shape) {
    case Shape::kRoundTrip:
      return "round trip";
    case Shape::kOneWay:
      return "one way";
    case Shape::kRead:
      return "one way and read";
    case Shape::kBatched:
      return "batched";
    case Shape::kInPlace:
      return "in place";
    case Shape::kCopy:
      return "copy";
  }
  return "?";
}

std::string in_words(std::size_t bytes) {
  if (bytes % kGib == 0) return fmt::format("{} GiB", bytes / kGib);
  if (bytes % kMib == 0) return fmt::format("{} MiB", bytes / kMib);
  if (bytes % kKib == 0) return fmt::format("{} KiB", bytes / kKib);
  return fmt::format("{} B", bytes);
}

// Of large messages the bytes count; of those that nobody copies, the messages.
bool counts_bytes(const Workload& workload) {
  return workload.shape == Shape::kCopy || workload.shape == Shape::kRead ||
         (workload.shape == Shape::kOneWay && workload.bytes > 4 * kKib);
}

}  // namespace

std::vector<Workload> joined(std::vector<Workload> workloads, const std::vector<Workload>& more) {
  workloads.insert(workloads.end(), more.begin(), more.end());
  return workloads;
}

std::string name_of(const Workload& workload) {
  return fmt::format("{} {}", name_of(workload.shape), in_words(workload.bytes));
}

std::string_view unit_of(const Workload& workload) {
  if (workload.shape == Shape::kRoundTrip) return "ns";
  return counts_bytes(workload) ? "GB/s" : "M msg/s";
}

double figure_in_unit(const Workload& workload, double figure) {
  if (workload.shape == Shape::kRoundTrip) return figure;
  return counts_bytes(workload) ? figure * static_cast<double>(workload.bytes) / 1e9 : figure / 1e6;
}

}  // namespace comch::bench
