// Deadline: the moment at which a test stops hoping.
//
// No wait of a test is without one. eventually() asks a question again and again until
// the answer is yes or the deadline has passed; it is for facts that nothing announces
// (a file appears, a process is gone). What can be waited for, wait for with poll() and
// left_ms().
//
//   ASSERT_TRUE(eventually([&] { return exists(socket); }));
//
// Threads: values; use them anywhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace comch::test {

// How long an honest wait may take before it counts as a hang: half a minute, far above
// anything measured on a machine whose processors are given to others as well, times
// COMCH_TEST_SLOWDOWN, which tests/run sets for sanitizer builds.
std::chrono::milliseconds patience();

// What a time-boxed test (random operations, kills, fuzzing) may spend: COMCH_TEST_BUDGET
// seconds, or `usual` when nobody set it. A night run sets it high.
std::chrono::milliseconds budget(std::chrono::milliseconds usual = std::chrono::seconds(2));

// COMCH_TEST_SEED when set, else a fresh one. A random test prints what it got, so that
// a failure can be run again.
std::uint64_t seed();

class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  Deadline() : Deadline(patience()) {}
  explicit Deadline(std::chrono::milliseconds allowance) : at_(Clock::now() + allowance) {}

  bool passed() const { return Clock::now() >= at_; }

  // What is left, as poll() and its like want it; 0 once it has passed.
  int left_ms() const;

 private:
  Clock::time_point at_;
};

// Asks `predicate` until it says yes; false once the deadline has passed. Asked at least
// once, and once more after the deadline, so that a machine that slept is no failure.
bool eventually(const std::function<bool()>& predicate, const Deadline& deadline = Deadline());

}  // namespace comch::test
