// Arrivals: what a stamp says, and how little a liar gains by it.
#include "shm/arrivals.h"

#include <gtest/gtest.h>

#include <vector>

namespace comch::shm {
namespace {

constexpr std::uint64_t kNow = 1'000'000'000'000'000;  // Far into a clock's life.
constexpr std::uint64_t kUnit = 64;
constexpr std::uint64_t kHour = 3'600'000'000'000;

TEST(StampTest, IsReadBackWithinItsUnit) {
  for (const std::uint64_t age : {0UL, 1UL, 63UL, 64UL, 1000UL, 9 * kHour}) {
    const std::uint64_t told = time_of(stamp_at(kNow - age), kNow);
    EXPECT_LE(told, kNow) << age;
    EXPECT_LT(told > kNow - age ? told - (kNow - age) : kNow - age - told, kUnit) << age;
  }
}

TEST(StampTest, SurvivesTheTurnOfItsBits) {
  const std::uint64_t turn = (kStampMask + 1) << kStampUnitBits;
  EXPECT_EQ(time_of(stamp_at(turn - kUnit), turn + kUnit), turn - kUnit);
}

TEST(StampTest, OfTheFutureIsNow) {
  EXPECT_EQ(time_of(stamp_at(kNow + kUnit), kNow), kNow);
  EXPECT_EQ(time_of(stamp_at(kNow + 9 * kHour), kNow), kNow);
}

TEST(StampTest, OfBeforeTheClockBeganIsNow) {
  EXPECT_EQ(time_of(kStampMask - 10, 100 * kUnit), 100 * kUnit);
}

struct ArrivalsTest : testing::Test {
  static constexpr std::uint32_t kQueue = 4;

  // Looks at a message that says that it was sent at `sent`.
  std::uint64_t look(std::uint64_t sent, std::uint64_t now) {
    arrivals.look(stamp_at(sent), now);
    return arrivals.first();
  }
  std::uint64_t take(std::uint64_t sent, std::uint64_t now) {
    const std::uint64_t arrival = look(sent, now);
    arrivals.pop();
    return arrival;
  }

  Arrivals arrivals{kQueue, kNow};
};

TEST_F(ArrivalsTest, AreWhatAnHonestSenderSays) {
  for (std::uint64_t n = 1; n < 20; ++n) {
    const std::uint64_t sent = kNow + n * 100 * kUnit;
    EXPECT_EQ(take(sent, sent + 10 * kUnit), sent);
  }
}

TEST_F(ArrivalsTest, AreTheSameWhenLookedAtAgain) {
  const std::uint64_t sent = kNow + 100 * kUnit;
  EXPECT_EQ(look(sent, sent + kUnit), sent);
  EXPECT_EQ(look(sent, sent + kHour), sent);
  arrivals.pop();
}

TEST_F(ArrivalsTest, AreNeverInTheFuture) {
  EXPECT_EQ(take(kNow + kHour, kNow + kUnit), kNow + kUnit);
}

TEST_F(ArrivalsTest, AreNotBeforeTheConnectionBegan) { EXPECT_EQ(take(0, kNow + kHour), kNow); }

TEST_F(ArrivalsTest, AreInTheOrderOfTheMessages) {
  const std::uint64_t first = take(kNow + 100 * kUnit, kNow + 200 * kUnit);
  EXPECT_EQ(look(kNow + 50 * kUnit, kNow + 200 * kUnit), first);
}

TEST_F(ArrivalsTest, AreNotBeforeTheMessageAQueueAheadWasTaken) {
  for (std::uint64_t n = 1; n <= kQueue; ++n) take(kNow, kNow + n * 100 * kUnit);
  const std::uint64_t now = kNow + kHour;
  EXPECT_EQ(take(kNow, now), kNow + 100 * kUnit) << "the ring had room for it from then on";
  EXPECT_EQ(take(kNow, now), kNow + 200 * kUnit);
}

// Whoever takes the oldest first, beside a liar that always has something to say.
TEST_F(ArrivalsTest, OfALiarComeAheadOfAnHonestMessageForAQueueAtMost) {
  std::uint64_t now = kNow;
  for (int n = 0; n < 100; ++n) take(kNow, now += kUnit);
  const std::uint64_t honest = now += kUnit;
  int ahead = 0;
  while (look(kNow, now += kUnit) < honest) {
    arrivals.pop();
    ASSERT_LE(++ahead, static_cast<int>(kQueue));
  }
}

}  // namespace
}  // namespace comch::shm
