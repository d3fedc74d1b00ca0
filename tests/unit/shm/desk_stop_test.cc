// A desk's producers that stop at any step, or stand still there while others go on: they strand
// nothing and block nobody.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "shm/desk.h"
#include "unit/shm/desk_of.h"

namespace comch::shm {
namespace {

// Counts the accesses to a desk's words. At one of them it stops the producer: what it was
// about to do there, and all that would follow, does not happen. Or something else happens
// first, as if the producer had been preempted.
struct StoppingMachine : FastMachine {
  struct Stopped {};
  static inline std::uint64_t steps = 0;
  static inline std::uint64_t stop_at = ~0ULL;
  static inline std::function<void()> interrupt;
  static inline unsigned lost_swaps = 0;  // So many fail, as if others had been faster.
  static void step() {
    if (steps++ != stop_at) return;
    if (!interrupt) throw Stopped{};
    std::exchange(interrupt, nullptr)();
  }

  template <class T>
  class Atomic {
   public:
    Atomic() = default;
    explicit Atomic(T value) : value_(value) {}
    T load(std::memory_order order) const {
      step();
      return value_.load(order);
    }
    void store(T value, std::memory_order order) {
      step();
      value_.store(value, order);
    }
    bool compare_exchange_strong(T& expected, T desired, std::memory_order success,
                                 std::memory_order failure) {
      step();
      if (lost_swaps != 0) {
        --lost_swaps;
        expected = value_.load(failure);
        return false;
      }
      return value_.compare_exchange_strong(expected, desired, success, failure);
    }
    T fetch_add(T by, std::memory_order order) {
      step();
      return value_.fetch_add(by, order);
    }
    T fetch_sub(T by, std::memory_order order) {
      step();
      return value_.fetch_sub(by, order);
    }

   private:
    std::atomic<T> value_{};
  };
};

using StoppingDesk = DeskOf<StoppingMachine>;

// Runs `work` until its step `stop`; whether it came to its end first.
template <class Work>
bool runs_until(std::uint64_t stop, Work&& work) {
  StoppingMachine::steps = 0;
  StoppingMachine::stop_at = stop;
  bool ended = true;
  try {
    work();
  } catch (const StoppingMachine::Stopped&) {
    ended = false;
  }
  StoppingMachine::stop_at = ~0ULL;
  return ended;
}

TEST(DeskStopTest, AProducerThatStopsAtAnyStepOfATakeStrandsAndBlocksNothing) {
  for (std::uint64_t stop = 0;; ++stop) {
    StoppingDesk desk;
    const SeatId first = desk.attach();
    const SeatId second = desk.attach();
    desk.post(12);
    std::set<std::uint64_t> before;
    const bool ended = runs_until(stop, [&] {
      for (int n = 0; n < 5; ++n) before.insert(desk.take(first).at(0));  // Two refills.
    });
    const std::set<std::uint64_t> rest = desk.take_all(second);
    // The stopped take itself may have got one.
    ASSERT_GE(before.size() + rest.size() + (ended ? 0 : 1), 12U) << "stopped at step " << stop;
    for (const std::uint64_t one : rest) ASSERT_FALSE(before.contains(one)) << stop;
    desk.post(3);
    ASSERT_EQ(desk.take_all(second).size(), 3U) << "stopped at step " << stop;
    if (ended) break;
    ASSERT_LT(stop, 1000U);
  }
}

TEST(DeskStopTest, AProducerThatStopsAtAnyStepOfATakeOfManyStrandsAndBlocksNothing) {
  for (std::uint64_t stop = 0;; ++stop) {
    StoppingDesk desk;
    const SeatId first = desk.attach();
    const SeatId second = desk.attach();
    const std::uint32_t share = desk.desk.share();
    desk.post(3 * share);
    std::set<std::uint64_t> before;
    ASSERT_EQ(desk.take(second).size(), 1U);  // Whose refill it may have to settle.
    const bool ended = runs_until(stop, [&] {
      for (const std::uint64_t one : desk.take(first, share)) before.insert(one);
    });
    const std::set<std::uint64_t> rest = desk.take_all(second);
    // The stopped take itself may have got its share.
    ASSERT_GE(1 + before.size() + rest.size() + (ended ? 0 : share), 3 * share) << stop;
    for (const std::uint64_t one : rest) ASSERT_FALSE(before.contains(one)) << stop;
    desk.post(3);
    ASSERT_EQ(desk.take_all(second).size(), 3U) << "stopped at step " << stop;
    if (ended) break;
    ASSERT_LT(stop, 1000U);
  }
}

TEST(DeskStopTest, AProducerThatStopsAtAnyStepOfAPutBackOrDetachStrandsNothing) {
  for (std::uint64_t stop = 0;; ++stop) {
    StoppingDesk desk;
    const SeatId first = desk.attach();
    const SeatId second = desk.attach();
    desk.post(12);
    ASSERT_EQ(desk.take(first), (Offsets{0}));
    const bool ended = runs_until(stop, [&] {
      desk.desk.put_back(first, StoppingDesk::descriptor(0));
      desk.desk.detach(first);
    });
    ASSERT_GE(desk.take_all(second).size() + (ended ? 0 : 1), 12U) << "stopped at step " << stop;
    if (ended) break;
    ASSERT_LT(stop, 1000U);
  }
}

TEST(DeskStopTest, ASoleProducerGoesOnWhereverTheSecondStopsInItsAttach) {
  for (std::uint64_t stop = 0;; ++stop) {
    StoppingDesk desk;
    const SeatId first = desk.attach();
    desk.post(12);
    ASSERT_EQ(desk.take(first), (Offsets{0}));
    SeatId second = 0;
    const bool ended = runs_until(
        stop, [&] { ASSERT_EQ(desk.desk.try_attach(second, [] {}), Attach::kAttached); });
    ASSERT_EQ(desk.take_all(first).size(), 11U) << "stopped at step " << stop;
    if (ended) break;
    ASSERT_LT(stop, 1000U);
  }
}

TEST(DeskStopTest, AStashThatOthersKeepChangingIsNotRefilledBeforeItIsEmpty) {
  for (unsigned lost = 0; lost != 40; ++lost) {
    StoppingDesk desk;
    const SeatId first = desk.attach();
    const SeatId second = desk.attach();
    desk.post(4);
    ASSERT_EQ(desk.take(first, 4), (Offsets{0, 1, 2, 3}));
    for (const std::uint64_t one : {3U, 2U, 1U, 0U}) {
      ASSERT_TRUE(desk.desk.put_back(first, StoppingDesk::descriptor(one)));
    }
    desk.post(4);
    StoppingMachine::lost_swaps = lost;
    std::set<std::uint64_t> all;
    for (const std::uint64_t one : desk.take(first)) all.insert(one);
    StoppingMachine::lost_swaps = 0;
    desk.post(4);  // So that the position moves on.
    for (const std::uint64_t one : desk.take_all(second)) ASSERT_TRUE(all.insert(one).second);
    ASSERT_EQ(all.size(), 12U) << "after " << lost << " lost swaps";
  }
}

// While the second producer looks at an old refill of the first, the first goes on until its
// stash looks exactly as it did before that refill.
TEST(DeskStopTest, AnOldRefillIsNotSettledAgainWhenItsStashHasComeRound) {
  for (std::uint64_t stop = 0;; ++stop) {
    StoppingDesk desk;
    const SeatId first = desk.attach();
    const SeatId second = desk.attach();
    desk.post(4);
    ASSERT_EQ(desk.take_all(first).size(), 4U);
    bool interrupted = false;
    StoppingMachine::interrupt = [&] {
      interrupted = true;
      std::array<Posted, 4> out;
      for (int n = 4; n < 65'536; n += 4) {
        desk.post(4);
        ASSERT_EQ(desk.desk.take(first, out), 4U);
      }
    };
    ASSERT_TRUE(runs_until(stop, [&] { ASSERT_EQ(desk.take(second), Offsets{}); }));
    StoppingMachine::interrupt = nullptr;
    ASSERT_EQ(desk.take(second), Offsets{}) << "interrupted at step " << stop;
    if (!interrupted) break;
    ASSERT_LT(stop, 1000U);
  }
}

TEST(DeskStopTest, AnAttachNeverWaitsForASoleProducerThatStoppedInATake) {
  int again = 0;
  for (std::uint64_t stop = 0;; ++stop) {
    StoppingDesk desk;
    const SeatId first = desk.attach();
    desk.post(12);
    const bool ended = runs_until(stop, [&] { desk.take(first); });
    SeatId second = 0;
    const Attach attached = desk.desk.try_attach(second, [] {});
    ASSERT_TRUE(attached == Attach::kAttached || attached == Attach::kAgain) << stop;
    if (attached == Attach::kAgain) ++again;
    if (attached == Attach::kAttached) {
      ASSERT_GE(desk.take_all(second).size(), 11U) << stop;
    }
    if (ended) break;
    ASSERT_LT(stop, 1000U);
  }
  EXPECT_GT(again, 0) << "inside of the take it asks to try again";
}

}  // namespace
}  // namespace comch::shm
