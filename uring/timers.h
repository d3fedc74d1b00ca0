// Timers: timeouts that are waited for, the earliest first; those due together in the order they
// began.
//
// Threads: the ring's. Lifetime: the ring's; memory is taken once. Errors: none.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "comch/uring/operation.h"

namespace comch::uring {

class Timers {
 public:
  explicit Timers(std::uint32_t most) { heap_.reserve(most); }

  bool empty() const { return heap_.empty(); }
  // On the clock that `now` of the other calls is read from.
  void add(Operation& op, std::uint64_t now_ns);
  // One that is due, and not in here any more; null: none.
  Operation* take_due(std::uint64_t now_ns);
  std::optional<std::uint64_t> next_ns() const;
  void remove(const Operation& op);

 private:
  struct Timer {
    std::uint64_t due_ns;
    std::uint64_t number;
    Operation* op;
    // The heap's first is the one that is after no other.
    friend bool operator<(const Timer& a, const Timer& b) {
      return a.due_ns != b.due_ns ? a.due_ns > b.due_ns : a.number > b.number;
    }
  };
  std::vector<Timer> heap_;
  std::uint64_t number_ = 0;
};

}  // namespace comch::uring
