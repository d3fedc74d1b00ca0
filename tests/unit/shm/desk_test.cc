// The contract of Desk, one thread at a time: alone and shared, stealing, put-backs. A producer
// that stops at any step is desk_stop_test's, the interleavings are desk_model's and
// switch_model's.
#include "shm/desk.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <vector>

#include "unit/shm/desk_of.h"

namespace comch::shm {
namespace {

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

TEST_F(DeskTest, WhoWantsAsManyAsItsShareGetsThemFromTheRing) {
  const SeatId first = attach();
  const SeatId second = attach();
  ASSERT_EQ(desk.share(), 4U);
  post(9);
  EXPECT_EQ(take(first, 64), (Offsets{0, 1, 2, 3})) << "no more, for there are others";
  EXPECT_EQ(take(second), (Offsets{4})) << "of a refill to 7";
  EXPECT_EQ(take(first, 64), (Offsets{8})) << "as many as there are";
  EXPECT_EQ(take(first, 64), (Offsets{5, 6, 7})) << "stolen";
  EXPECT_FALSE(desk.ready(first));
}

TEST_F(DeskTest, WhatWasTakenFromTheRingGoesBackToAStash) {
  const SeatId first = attach();
  const SeatId second = attach();
  post(4);
  EXPECT_EQ(take(first, 4), (Offsets{0, 1, 2, 3}));
  EXPECT_FALSE(desk.ready(second));
  for (const std::uint64_t one : {3U, 2U, 1U, 0U}) {
    EXPECT_TRUE(desk.put_back(first, descriptor(one)));
  }
  EXPECT_TRUE(desk.ready(second));
  EXPECT_EQ(take(first), (Offsets{0}));
  EXPECT_EQ(take(second, 64), (Offsets{1, 2, 3}));
}

TEST_F(DeskTest, ALieBehindATakeOfManyBreaksTheDeskWhenItIsNext) {
  const SeatId first = attach();
  attach();
  post(2);
  writer.post(2, kMap, 1);  // Behind the end.
  writer.publish();
  EXPECT_EQ(take(first, 4), (Offsets{0, 1}));
  EXPECT_FALSE(desk.broken());
  EXPECT_EQ(take(first, 4), (Offsets{}));
  EXPECT_TRUE(desk.broken());
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

}  // namespace
}  // namespace comch::shm
