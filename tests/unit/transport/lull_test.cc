// Lull: how its count follows what a pause takes.
#include "transport/lull.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace comch::transport {
namespace {

constexpr std::uint64_t sample_of(double pause_ns) {
  return static_cast<std::uint64_t>(pause_ns * Lull::kSample);
}
// Until it has nothing more to learn; how many steps that takes.
int learn_all(Lull& lull, std::uint64_t sample_ns) {
  int steps = 0;
  while (lull.learn(sample_ns)) ++steps;
  return steps;
}

TEST(Lull, KnowsAPauseOfFourNanosecondsAndAHalfByItself) {
  for (const std::uint32_t ns : {36U, 100U}) {
    Lull lull(ns);
    EXPECT_EQ(lull.pauses(), ns == 36 ? 8 : 22);
    EXPECT_FALSE(lull.learn(sample_of(4.5)));
  }
}

TEST(Lull, LastsAsLongByLongerPausesAndByShorterOnes) {
  for (const std::uint32_t ns : {36U, 100U}) {
    for (const double pause_ns : {0.8, 2.0, 7.5, 15.0}) {
      Lull lull(ns);
      learn_all(lull, sample_of(pause_ns));
      EXPECT_NEAR(lull.pauses() * pause_ns, ns, pause_ns) << pause_ns;
    }
  }
}

TEST(Lull, LearnsOnePauseFromOneSample) {
  Lull lull(36);
  EXPECT_TRUE(lull.learn(sample_of(1000)));
  EXPECT_EQ(lull.pauses(), 7);
  EXPECT_EQ(learn_all(lull, sample_of(4.5)), 1);
  EXPECT_EQ(lull.pauses(), 8);
}

// Of 7.5 ns, five pauses last 37.5 ns and four 30.
TEST(Lull, StaysAsItIsWhereTwoCountsAreAsGood) {
  Lull lull(34);
  learn_all(lull, sample_of(7.5));
  const std::uint32_t pauses = lull.pauses();
  for (const double pause_ns : {7.3, 7.7, 7.4, 7.6}) EXPECT_FALSE(lull.learn(sample_of(pause_ns)));
  EXPECT_EQ(lull.pauses(), pauses);
}

TEST(Lull, IsNeverShorterThanAPauseNorWithoutEnd) {
  Lull shortest(1);
  EXPECT_EQ(shortest.pauses(), 1);
  EXPECT_FALSE(shortest.learn(sample_of(1000)));
  Lull longest(1'000'000);
  learn_all(longest, 1);
  EXPECT_LE(longest.pauses(), Lull::kMost);
}

TEST(Lull, LearnsNothingFromAClockThatStandsStill) {
  Lull lull(36);
  EXPECT_EQ(Lull::sample([] { return std::uint64_t{7}; }), 0);
  EXPECT_FALSE(lull.learn(0));
  EXPECT_EQ(lull.pauses(), 8);
}

TEST(Lull, TakesWhatTheClockTakesFromASample) {
  std::uint64_t time_ns = 0;
  int reads = 0;
  // Each look takes 20 ns, and what comes ahead of the third one 300.
  const auto now = [&] { return time_ns += ++reads == 3 ? 320 : 20; };
  EXPECT_EQ(Lull::sample(now), 300);
}

TEST(Lull, TakesASampleOfATroubledClockForNone) {
  std::uint64_t time_ns = 0;
  int reads = 0;
  const auto now = [&] { return time_ns += ++reads == 2 ? 900 : 20; };
  EXPECT_EQ(Lull::sample(now), 0);
}

}  // namespace
}  // namespace comch::transport
