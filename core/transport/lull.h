// Lull: to be quiet for a few nanoseconds, for which a clock is too slow to look at: by a count of
// the shortest pauses there are. How long one takes each processor has its own mind about, 4.5 ns
// or 7.5, and none says so; it is measured now and then.
//
//   Lull lull(36);
//   lull.keep();
//   lull.learn(Lull::sample(now));     // Now and then; 0.3 to 0.6 us.
//
// Threads: the engine's. Lifetime: a value. Errors: none; a clock that stands still says nothing.
// Tests: lull_test.cc.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/pause.h"

namespace comch::transport {

class Lull {
 public:
  static constexpr std::uint32_t kSample = 64;
  static constexpr std::uint32_t kMost = 255;

  // Until it has learned: of a pause of 4.5 ns.
  explicit Lull(std::uint32_t ns) : ns_(ns), pauses_(std::clamp(2 * ns / 9, 1U, kMost)) {}

  // Less so many pauses, of pauses() at most.
  void keep(std::uint32_t less = 0) const {
    for (std::uint32_t n = pauses_ - std::min(less, pauses_); n != 0; --n) shortest_pause();
  }
  std::uint32_t pauses() const { return pauses_; }

  // How long kSample pauses take; `now` answers nanoseconds, and what that itself takes is no part
  // of it.
  template <class Now>
  static std::uint64_t sample(Now now) {
    const std::uint64_t began = now();
    const std::uint64_t begin = now();
    for (std::uint32_t n = kSample; n != 0; --n) shortest_pause();
    const std::uint64_t took = now() - begin;
    return took - std::min(took, begin - began);
  }
  // One pause more or less, if the count is off by most of one: who was called away during a sample
  // has learned little. True: it has changed.
  bool learn(std::uint64_t sample_ns) {
    if (sample_ns == 0) return false;
    const std::uint64_t wanted = std::uint64_t{ns_} * kSample;
    const std::uint64_t kept = pauses_ * sample_ns;
    const std::uint64_t slack = sample_ns * 3 / 4;
    if (kept > wanted + slack && pauses_ > 1) {
      --pauses_;
    } else if (kept + slack < wanted && pauses_ < kMost) {
      ++pauses_;
    } else {
      return false;
    }
    return true;
  }

 private:
  std::uint32_t ns_;
  std::uint32_t pauses_;
};

}  // namespace comch::transport
