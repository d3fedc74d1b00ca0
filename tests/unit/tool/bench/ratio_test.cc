// Ratio: the median of rounds.
#include "tool/bench/ratio.h"

#include <gtest/gtest.h>

#include <vector>

namespace comch::tool {
namespace {

Figures round_of(std::uint64_t ns, std::uint64_t messages) {
  Figures figures;
  figures.size = 64;
  figures.round_trips.ns.record(ns);
  figures.one_way = {.messages = messages, .seconds = 1};
  return figures;
}

TEST(RatioTest, IsOfEachColumn) {
  const std::vector<Figures> one{round_of(120, 900)};
  const std::vector<Figures> other{round_of(100, 1000)};
  const Ratio ratio = median_ratio(one, other);
  EXPECT_EQ(ratio.size, 64u);
  EXPECT_DOUBLE_EQ(ratio.p50, 1.2);
  EXPECT_DOUBLE_EQ(ratio.p99, 1.2);
  EXPECT_DOUBLE_EQ(ratio.p999, 1.2);
  EXPECT_DOUBLE_EQ(ratio.messages_per_second, 0.9);
}

TEST(RatioTest, ARoundThatWasDisturbedDoesNotCount) {
  const std::vector<Figures> one{round_of(110, 990), round_of(120, 10), round_of(100, 980)};
  const std::vector<Figures> other{round_of(100, 1000), round_of(10, 1000), round_of(100, 1000)};
  const Ratio ratio = median_ratio(one, other);
  EXPECT_DOUBLE_EQ(ratio.p50, 1.1);
  EXPECT_DOUBLE_EQ(ratio.messages_per_second, 0.98);
}

TEST(RatioTest, OfAnEvenNumberOfRoundsItIsBetweenTheMiddleTwo) {
  const std::vector<Figures> one{round_of(100, 800), round_of(120, 1000)};
  const std::vector<Figures> other{round_of(100, 1000), round_of(100, 1000)};
  EXPECT_DOUBLE_EQ(median_ratio(one, other).p50, 1.1);
  EXPECT_DOUBLE_EQ(median_ratio(one, other).messages_per_second, 0.9);
}

TEST(FiguresTest, RoundsOfTheSameAddUp) {
  Figures all = round_of(100, 1000);
  all.used = {{.way = "mapped", .messages = 5}};
  Figures more = round_of(200, 500);
  more.used = {{.way = "inline", .messages = 7}, {.way = "mapped", .messages = 1}};
  all.add(more);
  EXPECT_EQ(all.round_trips.ns.count(), 2u);
  EXPECT_DOUBLE_EQ(all.one_way.messages_per_second(), 750);
  ASSERT_EQ(all.used.size(), 2u);
  EXPECT_EQ(all.used[0].way, "inline");
  EXPECT_EQ(all.used[1].messages, 6u);
}

}  // namespace
}  // namespace comch::tool
