// Histogram: how long things took, in constant memory, to within a 64th of the value.
//
// Values share a bucket when their highest seven bits are the same, so that a record is
// two instructions of arithmetic and an increment, whatever the value.
//
//   Histogram times;
//   times.record(ns);
//   times.percentile(0.99);
//
// Threads: one thread.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace comch::tool {

class Histogram {
 public:
  void record(std::uint64_t value) {
    ++buckets_[bucket_of(value)];
    ++count_;
  }

  // Records all that `other` has recorded.
  void add(const Histogram& other) {
    for (std::size_t i = 0; i < buckets_.size(); ++i) buckets_[i] += other.buckets_[i];
    count_ += other.count_;
  }

  std::uint64_t count() const { return count_; }

  // The smallest value that the share `p` (0 to 1) of all records does not exceed, rounded
  // down to its bucket; 0 without records.
  std::uint64_t percentile(double p) const {
    const auto wanted = static_cast<std::uint64_t>(p * static_cast<double>(count_));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      seen += buckets_[i];
      if (seen > 0 && seen >= wanted) return lowest_of(i);
    }
    return 0;
  }

  // Exposed for the test: every value lies in [lowest_of(b), lowest_of(b + 1)).
  static constexpr std::size_t bucket_of(std::uint64_t value) {
    if (value < 2 * kSteps) return static_cast<std::size_t>(value);
    const auto shift = static_cast<unsigned>(std::bit_width(value)) - kStepBits - 1;
    return shift * kSteps + static_cast<std::size_t>(value >> shift);
  }
  static constexpr std::uint64_t lowest_of(std::size_t bucket) {
    if (bucket < 2 * kSteps) return bucket;
    const std::size_t shift = bucket / kSteps - 1;
    return static_cast<std::uint64_t>(bucket - shift * kSteps) << shift;
  }

 private:
  static constexpr unsigned kStepBits = 6;
  static constexpr std::size_t kSteps = std::size_t{1} << kStepBits;  // Per power of two.

  std::array<std::uint64_t, (64 - kStepBits + 1) * kSteps> buckets_{};
  std::uint64_t count_ = 0;
};

static_assert(Histogram::bucket_of(127) == 127 && Histogram::bucket_of(128) == 128,
              "the exact part and the rounded part join without a gap");
static_assert(Histogram::lowest_of(Histogram::bucket_of(1'000'000)) <= 1'000'000 &&
                  Histogram::lowest_of(Histogram::bucket_of(1'000'000) + 1) > 1'000'000,
              "a value lies in its bucket");
static_assert(Histogram::bucket_of(~std::uint64_t{0}) == (64 - 6 + 1) * 64 - 1,
              "the largest value has the last bucket");

}  // namespace comch::tool
