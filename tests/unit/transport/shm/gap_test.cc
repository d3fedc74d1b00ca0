// Gap: how it follows what waits take.
#include "transport/shm/gap.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace comch::transport::shm {
namespace {

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
    for (std::uint32_t n = 0; n < Gap::kEvery; ++n) wait(ns);
  }

  Gap gap;
  bool ready = false;  // Something is there already.
  std::array<std::byte, 2> slots{};
  std::uint64_t time_ns = 1000;
  int clock_reads = 0;
  const std::function<std::uint64_t()> now = [this] {
    ++clock_reads;
    return time_ns;
  };
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

TEST_F(GapTest, TimesOneWaitOfMany) {
  for (std::uint32_t n = 0; n < Gap::kEvery - 1; ++n) wait(2 * Gap::kFar_ns);
  EXPECT_EQ(gap.pauses(), Gap::kShort);
  EXPECT_EQ(clock_reads, 0);
  wait(2 * Gap::kFar_ns);
  EXPECT_EQ(gap.pauses(), Gap::kLong);
  EXPECT_EQ(clock_reads, 2);
}

// What the program does meanwhile is no wait.
TEST_F(GapTest, TimesAWaitFromItsFirstCallOn) {
  for (std::uint32_t n = 0; n < Gap::kEvery; ++n) {
    time_ns += 10 * Gap::kFar_ns;
    wait(0);
  }
  EXPECT_EQ(gap.pauses(), Gap::kShort);
}

TEST_F(GapTest, IsFarWhereWaitsAreLong) {
  EXPECT_FALSE(gap.is_far());
  wait_often(2 * Gap::kFar_ns);
  EXPECT_TRUE(gap.is_far());
}

TEST_F(GapTest, KeepsQuietOnceForAnAnswer) {
  EXPECT_FALSE(gap.keep_quiet(nullptr)) << "none is expected";
  EXPECT_TRUE(gap.keep_quiet(&slots[0]));
  EXPECT_FALSE(gap.keep_quiet(&slots[0]));
  EXPECT_TRUE(gap.keep_quiet(&slots[1]));
  EXPECT_TRUE(gap.keep_quiet(&slots[0])) << "it is another one's by now";
}

TEST_F(GapTest, AwaitsAnAnswerWhereAWaitWasTimed) {
  EXPECT_FALSE(gap.awaits(&slots[0], true));
  wait_often(Gap::kFar_ns / 2);
  EXPECT_TRUE(gap.awaits(&slots[0], true));
  EXPECT_FALSE(gap.keep_quiet(&slots[0])) << "it was";
  EXPECT_TRUE(gap.awaits(&slots[0], true)) << "it has not come";
  EXPECT_FALSE(gap.awaits(nullptr, true)) << "none is expected";
  wait_often(2 * Gap::kFar_ns);
  EXPECT_TRUE(gap.awaits(&slots[1], true));
}

TEST_F(GapTest, IsNotQuietForWhoMayNotBeLate) {
  wait_often(Gap::kFar_ns / 2);
  EXPECT_TRUE(gap.awaits(&slots[0], false));
  EXPECT_TRUE(gap.keep_quiet(&slots[0])) << "it was not";
}

TEST_F(GapTest, AwaitsNoAnswerWhereMessagesAreThereAlready) {
  wait_often(Gap::kFar_ns / 2);
  ready = true;
  wait_often(0);
  EXPECT_FALSE(gap.awaits(&slots[0], true));
  ready = false;
  wait_often(Gap::kFar_ns / 2);
  EXPECT_TRUE(gap.awaits(&slots[0], true));
}

TEST_F(GapTest, TimesAWaitWithoutAwaitingAnAnswer) {
  wait_often(Gap::kFar_ns / 2);
  for (std::uint32_t n = 0; n < Gap::kEvery - 1; ++n) {
    EXPECT_TRUE(gap.awaits(&slots[n % 2], true));
    wait(Gap::kFar_ns / 2);
  }
  EXPECT_FALSE(gap.awaits(&slots[0], true));
  wait(Gap::kFar_ns / 2);
  EXPECT_TRUE(gap.awaits(&slots[0], true));
}

TEST_F(GapTest, DoesNotChangeDuringAWait) {
  for (std::uint32_t n = 0; n < 3 * Gap::kEvery; ++n) {
    poll(false);
    time_ns += Gap::kFar_ns;
    EXPECT_EQ(gap.pauses(), Gap::kShort);
  }
}

}  // namespace
}  // namespace comch::transport::shm
