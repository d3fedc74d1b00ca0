// DeskWaiters: whether a producer sleeps until a buffer of its desk (desk.h) is there, so that
// whoever puts one back knows that it has to be woken.
//
//   waiters.begin();  if (!desk.ready(seat)) sleep();  waiters.end();
//   desk.put_back(seat, posted);  if (waiters.any()) wake_all();
//
// Ordering:
//
//   WAIT   begin() -> ready(), and what is put back -> any(): a full fence lies between the two of
//          each, so that the sleeper sees the buffer, or who put it back the sleeper.
//
// Threads: any. Lifetime: private memory. Errors: none. Tests: desk_waiters_test.cc, desk_model.cc.
#pragma once

#include <atomic>
#include <cstdint>

namespace comch::shm {

template <class Machine>
class DeskWaiters {
 public:
  // Ahead of the last look before a sleep.
  void begin() {
    count_.fetch_add(1, std::memory_order_relaxed);  // No edge: WAIT.
    Machine::full_fence();
  }
  void end() {
    count_.fetch_sub(1,
                     std::memory_order_relaxed);  // No edge: who is woken for nothing looks again.
  }

  // Behind what was put back.
  [[nodiscard]] bool any() const {
    Machine::full_fence();
    return count_.load(std::memory_order_relaxed) != 0;  // No edge: WAIT.
  }

 private:
  typename Machine::template Atomic<std::uint32_t> count_{0};
};

}  // namespace comch::shm
