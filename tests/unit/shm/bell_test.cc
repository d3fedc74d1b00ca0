// The contract of Bell, one thread at a time; the interleavings are bell_model's.
#include "shm/bell.h"

#include <gtest/gtest.h>

#include <tuple>

namespace comch::shm {
namespace {

// A machine that counts full fences: what a bell costs, and where it must not be cheap.
struct CountingMachine : RealMachine {
  static inline int fences = 0;
  static void full_fence() { ++fences; }
};

struct BellTest : testing::Test {
  BellTest() { CountingMachine::fences = 0; }

  Bell<CountingMachine> bell;
  BellSleeper<CountingMachine> sleeper{bell};
  BellRinger<CountingMachine> ringer{bell};
};

TEST_F(BellTest, FreshMemoryIsGuardedAndNotArmed) {
  EXPECT_EQ(bell.word.fetch(), 0U);
  EXPECT_FALSE(ringer.should_ring());
  EXPECT_EQ(CountingMachine::fences, 1) << "guarded: the ringer must fence";
}

TEST_F(BellTest, AnArmedBellIsRungOncePerSleep) {
  EXPECT_FALSE(sleeper.arm());
  EXPECT_TRUE(ringer.should_ring());
  EXPECT_FALSE(ringer.should_ring());
  sleeper.disarm();
  EXPECT_FALSE(ringer.should_ring());
  EXPECT_FALSE(sleeper.arm());
  EXPECT_TRUE(ringer.should_ring());
}

TEST_F(BellTest, ASleepThatFollowsAnotherWithoutDisarmIsRungToo) {
  EXPECT_FALSE(sleeper.arm());
  EXPECT_TRUE(ringer.should_ring());
  EXPECT_FALSE(sleeper.arm());
  EXPECT_TRUE(ringer.should_ring());
}

TEST_F(BellTest, EachOfTwoRingersRings) {
  BellRinger<CountingMachine> other(bell);
  EXPECT_FALSE(sleeper.arm());
  EXPECT_TRUE(ringer.should_ring());
  EXPECT_TRUE(other.should_ring());
}

TEST_F(BellTest, ARelaxedBellCostsTheRingerNoFence) {
  sleeper.relax();
  EXPECT_FALSE(ringer.may_have_to_ring());
  EXPECT_FALSE(ringer.should_ring());
  EXPECT_EQ(CountingMachine::fences, 0);
}

TEST_F(BellTest, WhetherThereMayBeSomebodyToRingIsKnownWithoutAFence) {
  EXPECT_TRUE(ringer.may_have_to_ring());
  EXPECT_EQ(CountingMachine::fences, 0);
  sleeper.relax();
  EXPECT_FALSE(ringer.may_have_to_ring());
  std::ignore = sleeper.arm();
  EXPECT_TRUE(ringer.may_have_to_ring());
}

TEST_F(BellTest, ArmingARelaxedBellIsTheCallersFence) {
  sleeper.relax();
  EXPECT_TRUE(sleeper.relaxed());
  EXPECT_TRUE(sleeper.arm()) << "the caller owes a membarrier";
  EXPECT_EQ(CountingMachine::fences, 0);
  EXPECT_TRUE(ringer.should_ring());
  sleeper.disarm();
  EXPECT_FALSE(sleeper.arm()) << "guarded since, until it is relaxed again";
}

TEST_F(BellTest, ARingerThatCouldNotRegisterDoesNotBelieveRelaxed) {
  BellRinger<CountingMachine> careful(bell, true);
  sleeper.relax();
  EXPECT_TRUE(careful.may_have_to_ring());
  EXPECT_FALSE(careful.should_ring());
  EXPECT_EQ(CountingMachine::fences, 1);
}

TEST_F(BellTest, WhatThePeerWritesIsNeverReadBackBySleeper) {
  EXPECT_FALSE(sleeper.arm());
  bell.word.publish(~0ULL, std::memory_order_relaxed);
  sleeper.disarm();
  EXPECT_EQ(bell.word.fetch(), kBellEpisode);
}

TEST_F(BellTest, ItIsRungByItsWordOnlyWhileTheSleeperAsksForThat) {
  EXPECT_FALSE(sleeper.arm());
  ASSERT_TRUE(ringer.should_ring());
  EXPECT_FALSE(ringer.raise()) << "by other means";
  const std::uint32_t before = sleeper.ask_for_word();
  EXPECT_EQ(before, bell.rings.fetch());
  EXPECT_FALSE(ringer.should_ring()) << "this sleep is rung";
  BellRinger<CountingMachine> other(bell);
  ASSERT_TRUE(other.should_ring());
  EXPECT_TRUE(other.raise());
  EXPECT_NE(bell.rings.fetch(), before);
  sleeper.disarm();
  EXPECT_FALSE(other.raise());
  EXPECT_FALSE(sleeper.arm());
  EXPECT_TRUE(other.should_ring()) << "the next sleep";
}

TEST_F(BellTest, TheWordThatIsWaitedForIsTheOneThatIsRaised) {
  EXPECT_EQ(sleeper.word(), ringer.word());
  EXPECT_EQ(sleeper.word(), static_cast<const void*>(&bell.rings));
}

}  // namespace
}  // namespace comch::shm
