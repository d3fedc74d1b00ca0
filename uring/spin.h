// Spin: how long to look for completions before sleeping, learned from how long recent waits took.
//
// A sleep costs a wake-up of tens of microseconds. Where waits are short, spinning for about
// twice as long as they take finds most of them awake; where they are long it only burns time.
//
//   const auto budget = spin.budget();  ...;  spin.learn(waited);
//
// Threads: the ring's. Lifetime: a value. Errors: none.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

namespace comch::uring {

class Spin {
 public:
  using Time = std::chrono::nanoseconds;
  static constexpr Time kMost = std::chrono::microseconds(100);
  // Waits this long are slept through. They include the wake-up where they were, so that it is
  // more than what is worth spinning for.
  static constexpr Time kWorthwhile = std::chrono::microseconds(200);

  // `fixed`: this long, whatever happens.
  explicit Spin(std::optional<Time> fixed) : fixed_(fixed) {}

  Time budget() const {
    if (fixed_) return *fixed_;
    return expected_ > kWorthwhile ? Time(0) : std::min(2 * expected_, kMost);
  }
  // How long a wait took, that was ended by something.
  void learn(Time waited) {
    // Of a long wait, so much that a few short ones are enough to spin again.
    expected_ = (3 * expected_ + std::min(waited, 4 * kWorthwhile)) / 4;
  }
  bool learns() const { return !fixed_; }

 private:
  std::optional<Time> fixed_;
  Time expected_ = std::chrono::microseconds(25);  // At first, twice this: no wake-up costs less.
};

}  // namespace comch::uring
