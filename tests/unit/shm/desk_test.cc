// The contract of Desk, one thread at a time: alone and shared, stealing, put-backs, and a
// producer that stops at any step. The interleavings are desk_model's and switch_model's.
#include "shm/desk.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <set>
#include <utility>
#include <vector>

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

struct DeskTest : testing::Test, DeskOf<FastMachine> {};

TEST_F(DeskTest, ASoleProducerTakesInTheOrderOfPosting) {
  const SeatId seat = attach();
  EXPECT_FALSE(desk.ready(seat));
  EXPECT_EQ(take(seat), Offsets{});
  post(5);
  EXPECT_TRUE(desk.ready(seat));
  EXPECT_EQ(take(seat), (Offsets{0}));
  EXPECT_EQ(take(seat, 64), (Offsets{1, 2, 3, 4}));
  EXPECT_EQ(take(seat), Offsets{});
  EXPECT_EQ(barriers, 0);
  EXPECT_FALSE(desk.shared());
}

TEST_F(DeskTest, WhatFollowsIsShownIfItIsPostedAndStays) {
  const SeatId seat = attach();
  Offsets used;
  Offsets expected;
  const auto use = [&](const Posted& one) {
    used.push_back(one.offset);
    return true;
  };
  const auto expect = [&](const Posted& next) { expected.push_back(next.offset); };
  EXPECT_TRUE(desk.use_alone(1, use, expect));
  EXPECT_EQ(expected, Offsets{});
  post(3);
  EXPECT_TRUE(desk.use_alone(1, use, expect));
  EXPECT_EQ(used, (Offsets{0}));
  EXPECT_EQ(expected, (Offsets{1}));
  EXPECT_TRUE(desk.use_alone(5, use, expect));
  EXPECT_EQ(used, (Offsets{0, 1, 2})) << "what was shown is used once, in its turn";
  EXPECT_EQ(expected, (Offsets{1, 2})) << "nothing is posted behind the last";
  EXPECT_EQ(take(seat), Offsets{});
}

TEST_F(DeskTest, BehindWhatIsNotUsedNothingIsExpected) {
  const SeatId seat = attach();
  post(2);
  const auto refuse = [](const Posted&) { return false; };
  EXPECT_TRUE(desk.use_alone(2, refuse, [](const Posted&) { ADD_FAILURE(); }));
  EXPECT_EQ(take(seat, 2), (Offsets{0, 1}));
}

TEST_F(DeskTest, ADescriptorThatLiesIsNamedWhenItIsShownAndTheOneBeforeIsUsed) {
  attach();
  post(1);
  writer.post(1, kMap, 1);  // Behind the end.
  writer.publish();
  Offsets used;
  const auto use = [&](const Posted& one) {
    used.push_back(one.offset);
    return true;
  };
  EXPECT_TRUE(desk.use_alone(1, use, [](const Posted&) { ADD_FAILURE(); }));
  EXPECT_EQ(used, (Offsets{0}));
  EXPECT_TRUE(desk.broken());
}

TEST_F(DeskTest, WhatIsPutBackIsTheNextToBeTaken) {
  const SeatId first = attach();
  post(4);
  EXPECT_EQ(take(first, 2), (Offsets{0, 1}));
  EXPECT_TRUE(desk.put_back(first, descriptor(1)));
  EXPECT_EQ(take(first), (Offsets{1}));
  const SeatId second = attach();
  EXPECT_EQ(take(second), (Offsets{2}));
  EXPECT_TRUE(desk.put_back(second, descriptor(2)));
  EXPECT_EQ(take(second), (Offsets{2}));
  EXPECT_TRUE(desk.put_back(first, descriptor(1))) << "taken alone, put back shared";
  EXPECT_TRUE(desk.put_back(first, descriptor(0)));
  EXPECT_EQ(take(first), (Offsets{0}));
  EXPECT_EQ(take(first), (Offsets{1}));
  EXPECT_EQ(take(first), (Offsets{3}));
}

TEST_F(DeskTest, TheSecondProducerMakesTheDeskSharedAndNothingIsTakenTwice) {
  const SeatId first = attach();
  post(20);
  EXPECT_EQ(take(first, 3), (Offsets{0, 1, 2}));
  const SeatId second = attach();
  EXPECT_NE(first, second);
  EXPECT_TRUE(desk.shared());
  EXPECT_EQ(barriers, 1);
  std::set<std::uint64_t> all = {0, 1, 2};
  for (int turn = 0; turn < 20; ++turn) {
    for (const std::uint64_t one : take(turn % 3 == 0 ? first : second)) {
      EXPECT_TRUE(all.insert(one).second);
    }
  }
  EXPECT_EQ(all.size(), 20U);
  EXPECT_EQ(attach(), 2U);
  EXPECT_EQ(barriers, 1) << "one switch in a desk's life";
}

TEST_F(DeskTest, ARefillIsAFairShareOfTheDepth) {
  const SeatId first = attach();
  const SeatId second = attach();
  post(32);
  EXPECT_EQ(take(first, 64).size(), kDepth / 8) << "a quarter for two";
  attach();
  EXPECT_EQ(take(second, 64).size(), kDepth / 12);
}

TEST_F(DeskTest, WhoTakesNothingKeepsNothingFromAnybody) {
  const SeatId first = attach();
  const SeatId second = attach();
  post(kDepth);
  std::size_t taken = take(first).size();
  for (int n = 0; n < 4; ++n) EXPECT_EQ(desk.take(first, {}), 0U);
  while (const std::size_t more = take(second).size()) taken += more;
  EXPECT_EQ(taken, kDepth);
}

TEST_F(DeskTest, AnEmptyRingSendsAProducerToItsSiblingsStashes) {
  const SeatId first = attach();
  const SeatId second = attach();
  post(4);
  EXPECT_EQ(take(first).size(), 1U);  // Three stay in its stash.
  EXPECT_TRUE(desk.ready(second));
  EXPECT_EQ(take_all(second).size(), 3U);
  EXPECT_FALSE(desk.ready(first));
}

TEST_F(DeskTest, WhatADetachedProducerLeavesIsTheOthers) {
  const SeatId first = attach();
  const SeatId second = attach();
  post(4);
  EXPECT_EQ(take(first).size(), 1U);
  desk.detach(first);
  EXPECT_EQ(take_all(second).size(), 3U);
  EXPECT_EQ(attach(), first) << "the seat is free again";
}

TEST_F(DeskTest, WhenEverySeatIsTakenTheDeskIsFull) {
  for (int n = 0; n < 4; ++n) attach();
  SeatId seat = 0;
  EXPECT_EQ(desk.try_attach(seat, [] {}), Attach::kFull);
}

TEST_F(DeskTest, AStashHasRoomForAllThatAHandHolds) {
  const SeatId seat = attach();
  attach();
  post(4);
  EXPECT_EQ(take(seat).size(), 1U);
  std::uint64_t fits = 0;
  while (desk.put_back(seat, descriptor(100 + fits))) ++fits;
  EXPECT_GE(fits, kHandMax);
  EXPECT_EQ(take_all(seat).size(), 3 + fits);
}

TEST_F(DeskTest, AnImpossibleDescriptorBreaksTheDeskForGood) {
  for (const bool shared : {false, true}) {
    DeskOf<FastMachine> other;
    const SeatId seat = other.attach();
    if (shared) other.attach();
    other.post(1);
    other.writer.post(1, other.kMap, 1);
    other.writer.post(2, 0, 1);
    other.writer.publish();
    EXPECT_EQ(other.take(seat), (Offsets{0}));
    EXPECT_EQ(other.take(seat), Offsets{});
    EXPECT_TRUE(other.desk.broken());
    FastMachine::store_word(other.ring.data(), kPostedSize, 0);  // Too late to take it back.
    EXPECT_EQ(other.take(seat), Offsets{});
    EXPECT_TRUE(other.desk.ready(seat)) << "nobody sleeps on it";
    SeatId late = 0;
    EXPECT_EQ(other.desk.try_attach(late, [] {}), Attach::kBroken);
  }
}

TEST_F(DeskTest, PositionsComeRoundTheRingManyTimes) {
  const SeatId first = attach();
  const SeatId second = attach();
  for (std::uint32_t n = 0; n < 100'000; ++n) {
    std::set<std::uint64_t> expected;
    for (std::uint32_t k = 0; k < 1 + n % 3; ++k) expected.insert(posted + k);
    post(1 + n % 3);
    ASSERT_EQ(take_all(n % 2 == 0 ? first : second), expected) << n;
  }
}

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
