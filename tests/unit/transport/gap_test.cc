// Gap: how it follows what waits take.
#include "transport/gap.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace comch::transport {
namespace {

struct Clock {
  std::uint64_t operator()() const {
    ++*reads;
    // Each read takes so much longer than the one before.
    return *time_ns += static_cast<std::uint64_t>(*reads) * *each_read_ns;
  }
  std::uint64_t* time_ns;
  const std::uint64_t* each_read_ns;
  int* reads;
};
constexpr int kOfAWait = 2;
constexpr int kOfALull = 3;

struct GapTest : testing::Test {
  // A call that brings something, or nothing.
  void poll(bool any) {
    gap.polls(now, [this] { return ready; });
    time_ns += 10;
    gap.polled(any, now);
  }
  // Something comes after so long.
  void wait(std::uint64_t ns) {
    poll(false);
    time_ns += ns;
    poll(true);
  }
  void wait_often(std::uint64_t ns) {
    for (std::uint32_t n = 0; n < Gap::kLearned; ++n) wait(ns);
  }
  bool awaits(const std::byte* slot, bool may_be_late = true) {
    gap.await(slot, may_be_late);
    return gap.budget(2) == 1;
  }

  // So often; it is early each `early`-th time.
  void be_quiet(std::size_t times, std::size_t early) {
    for (std::size_t n = 1; n <= times; ++n) {
      EXPECT_TRUE(gap.await(&slots[n % 2], true));
      if (early != 0 && n % early == 0) gap.rest();
    }
  }

  static constexpr std::size_t kSteps = 512;  // Of which it learns more than once.
  Gap gap;
  bool ready = false;  // Something is there already.
  std::array<std::byte, 2> slots{};
  std::uint64_t time_ns = 1000;
  std::uint64_t each_read_ns = 0;
  int clock_reads = 0;
  const Clock now{.time_ns = &time_ns, .each_read_ns = &each_read_ns, .reads = &clock_reads};
};

TEST_F(GapTest, IsShortAtFirstAndWhereThereIsAlwaysSomething) {
  EXPECT_EQ(gap.pauses(), Gap::kShort);
  for (std::uint32_t n = 0; n < 3 * Gap::kEvery; ++n) poll(true);
  EXPECT_EQ(gap.pauses(), Gap::kShort);
}

TEST_F(GapTest, IsShortWhereAnswersAreThereSoon) {
  wait_often(Gap::kFar_ns / 2);
  EXPECT_EQ(gap.pauses(), Gap::kShort);
}

TEST_F(GapTest, IsLongWhereTheyAreLongInComing) {
  wait_often(2 * Gap::kFar_ns);
  EXPECT_EQ(gap.pauses(), Gap::kLong);
  wait_often(2 * Gap::kFar_ns);
  EXPECT_EQ(gap.pauses(), Gap::kLong);
  wait_often(Gap::kFar_ns / 2);
  EXPECT_EQ(gap.pauses(), Gap::kShort);
}

TEST_F(GapTest, OneWaitAloneDecidesNothing) {
  wait_often(2 * Gap::kFar_ns);
  for (std::uint32_t n = 0; n < Gap::kEvery; ++n) wait(Gap::kFar_ns / 2);
  EXPECT_EQ(gap.pauses(), Gap::kLong);
  ready = true;
  for (std::uint32_t n = 0; n < Gap::kEvery; ++n) wait(2 * Gap::kFar_ns);
  EXPECT_TRUE(awaits(&slots[0]));
}

TEST_F(GapTest, TimesOneWaitOfMany) {
  for (std::uint32_t n = 0; n < Gap::kEvery - 1; ++n) wait(2 * Gap::kFar_ns);
  EXPECT_EQ(gap.pauses(), Gap::kShort);
  EXPECT_EQ(clock_reads, 0);
  wait(2 * Gap::kFar_ns);
  EXPECT_EQ(clock_reads, kOfAWait + kOfALull);
}

TEST_F(GapTest, MeasuresALullBehindOneTimedWaitOfMany) {
  wait_often(0);
  EXPECT_EQ(clock_reads, 3 * kOfAWait + kOfALull) << "there is nothing to learn";
  for (std::uint32_t n = 3 * Gap::kEvery; n < Gap::kMeasures * Gap::kEvery; ++n) wait(0);
  clock_reads = 0;
  for (std::uint32_t n = 0; n < Gap::kEvery; ++n) wait(0);
  EXPECT_EQ(clock_reads, kOfAWait + kOfALull);
}

TEST_F(GapTest, MeasuresALullBehindEachTimedWaitWhileThereIsMoreToLearn) {
  each_read_ns = 1;
  wait_often(0);
  EXPECT_EQ(clock_reads, 3 * (kOfAWait + kOfALull));
}

// What the program does meanwhile is no wait.
TEST_F(GapTest, TimesAWaitFromItsFirstCallOn) {
  for (std::uint32_t n = 0; n < Gap::kLearned; ++n) {
    time_ns += 10 * Gap::kFar_ns;
    wait(0);
  }
  EXPECT_EQ(gap.pauses(), Gap::kShort);
}

TEST_F(GapTest, DoesNotChangeDuringAWait) {
  for (std::uint32_t n = 0; n < 3 * Gap::kEvery; ++n) {
    poll(false);
    time_ns += Gap::kFar_ns;
    EXPECT_EQ(gap.pauses(), Gap::kShort);
  }
}

TEST_F(GapTest, IsFarWhereWaitsAreLong) {
  EXPECT_FALSE(gap.is_far());
  wait_often(2 * Gap::kFar_ns);
  EXPECT_TRUE(gap.is_far());
}

TEST_F(GapTest, IsQuietOnceForAnAnswer) {
  wait_often(Gap::kFar_ns / 2);
  EXPECT_FALSE(gap.await(nullptr, true)) << "none is expected";
  EXPECT_TRUE(gap.await(&slots[0], true));
  EXPECT_FALSE(gap.await(&slots[0], true)) << "it was";
  EXPECT_TRUE(gap.await(&slots[1], true));
  EXPECT_TRUE(gap.await(&slots[0], true)) << "it is another one's by now";
}

TEST_F(GapTest, IsNotQuietForWhoMayNotBeLate) {
  wait_often(Gap::kFar_ns / 2);
  EXPECT_TRUE(awaits(&slots[0], false));
  EXPECT_FALSE(gap.await(&slots[0], false));
  EXPECT_TRUE(gap.await(&slots[0], true)) << "it was not";
}

TEST_F(GapTest, IsNotQuietWhereMessagesDoNotComeInTurnOrTheWaitIsTimed) {
  EXPECT_FALSE(gap.await(&slots[0], true));
  wait_often(Gap::kFar_ns / 2);
  for (std::uint32_t n = 0; n < Gap::kEvery - 1; ++n) wait(Gap::kFar_ns / 2);
  EXPECT_FALSE(gap.await(&slots[0], true));
}

// A quiet is told how it was when the next one begins.
TEST_F(GapTest, IsQuietForLessWhereAnswersAreThereAnywayAndForLongerWhereItIsEarly) {
  wait_often(Gap::kFar_ns / 2);
  be_quiet(kSteps, 0);
  const std::uint32_t hasty = gap.haste();
  EXPECT_GT(hasty, 1U);
  be_quiet(100 * kSteps, 0);
  EXPECT_GT(gap.haste(), hasty);
  EXPECT_LT(gap.haste(), Lull(Gap::kNearQuiet_ns).pauses()) << "something is left of it";
  be_quiet(100 * kSteps, 1);
  EXPECT_EQ(gap.haste(), 0U) << "and not for longer than at first";
}

TEST_F(GapTest, IsEarlyForOneAnswerOfFour) {
  wait_often(Gap::kFar_ns / 2);
  be_quiet(kSteps, 0);
  const std::uint32_t hasty = gap.haste();
  be_quiet(10 * kSteps, 4);
  EXPECT_EQ(gap.haste(), hasty);
  be_quiet(kSteps, 3);
  EXPECT_LT(gap.haste(), hasty);
}

TEST_F(GapTest, IsNotEarlyWhereALaterCallLooksTwice) {
  wait_often(Gap::kFar_ns / 2);
  for (std::size_t n = 0; n < kSteps; ++n) {
    EXPECT_TRUE(gap.await(&slots[n % 2], true));
    EXPECT_FALSE(gap.await(&slots[n % 2], true));
    gap.rest();
  }
  EXPECT_GT(gap.haste(), 1U);
}

TEST_F(GapTest, LearnsNothingOfThatAcrossCaches) {
  wait_often(2 * Gap::kFar_ns);
  be_quiet(kSteps, 0);
  EXPECT_EQ(gap.haste(), 0U);
}

TEST_F(GapTest, AwaitsAnAnswerWhereTheWaitsThatWereTimedBeganWithNothing) {
  EXPECT_FALSE(awaits(&slots[0]));
  wait_often(Gap::kFar_ns / 2);
  EXPECT_TRUE(awaits(&slots[0]));
  EXPECT_TRUE(awaits(&slots[0])) << "it has not come";
  EXPECT_FALSE(awaits(nullptr)) << "none is expected";
  wait_often(2 * Gap::kFar_ns);
  EXPECT_TRUE(awaits(&slots[1]));
}

TEST_F(GapTest, TakesOneMessageOfThoseThatComeInTurn) {
  EXPECT_EQ(gap.budget(64), 64);
  wait_often(Gap::kFar_ns / 2);
  gap.await(&slots[0], false);
  EXPECT_EQ(gap.budget(64), 1);
  gap.await(nullptr, false);
  EXPECT_EQ(gap.budget(64), 64);
}

TEST_F(GapTest, AwaitsNoAnswerWhereMessagesAreThereAlready) {
  wait_often(Gap::kFar_ns / 2);
  ready = true;
  wait_often(0);
  EXPECT_FALSE(awaits(&slots[0]));
  ready = false;
  wait_often(Gap::kFar_ns / 2);
  EXPECT_TRUE(awaits(&slots[0]));
}

TEST_F(GapTest, TimesAWaitWithoutAwaitingAnAnswer) {
  wait_often(Gap::kFar_ns / 2);
  for (std::uint32_t n = 0; n < Gap::kEvery - 1; ++n) {
    ASSERT_TRUE(awaits(&slots[n % 2])) << n;
    wait(Gap::kFar_ns / 2);
  }
  EXPECT_FALSE(awaits(&slots[0]));
  wait(Gap::kFar_ns / 2);
  EXPECT_TRUE(awaits(&slots[0]));
}

}  // namespace
}  // namespace comch::transport
