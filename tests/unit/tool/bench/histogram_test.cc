// Histogram: percentiles within a 64th of the truth, whatever the values.
#include "tool/bench/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "support/deadline.h"

namespace comch::tool {
namespace {

TEST(HistogramTest, HasNothingToSayWithoutRecords) {
  EXPECT_EQ(Histogram().count(), 0u);
  EXPECT_EQ(Histogram().percentile(0.5), 0u);
}

TEST(HistogramTest, SmallValuesAreExact) {
  Histogram times;
  for (std::uint64_t value = 1; value <= 100; ++value) times.record(value);
  EXPECT_EQ(times.percentile(0.5), 50u);
  EXPECT_EQ(times.percentile(0.99), 99u);
  EXPECT_EQ(times.percentile(1), 100u);
}

TEST(HistogramTest, EveryBucketBeginsWhereTheOneBeforeEnds) {
  const std::size_t last = Histogram::bucket_of(~std::uint64_t{0});
  for (std::size_t bucket = 1; bucket <= last; ++bucket) {
    const std::uint64_t lowest = Histogram::lowest_of(bucket);
    ASSERT_EQ(Histogram::bucket_of(lowest), bucket);
    ASSERT_EQ(Histogram::bucket_of(lowest - 1), bucket - 1);
  }
}

TEST(HistogramTest, PercentilesOfAnyValuesAreWithinASixtyFourth) {
  const std::uint64_t seed = test::seed();
  SCOPED_TRACE("COMCH_TEST_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> values(10'000);
  Histogram times;
  for (std::uint64_t& value : values) {
    value = random() >> (random() % 64);
    times.record(value);
  }
  std::ranges::sort(values);
  for (double share : {0.01, 0.5, 0.99, 0.999, 1.0}) {
    const auto rank = static_cast<std::size_t>(share * static_cast<double>(values.size()));
    const std::uint64_t truth = values[rank - 1];
    EXPECT_LE(times.percentile(share), truth) << share;
    EXPECT_LE(truth - times.percentile(share), truth / 64) << share;
  }
}

TEST(HistogramTest, SumOfTwoHasTheRecordsOfBoth) {
  Histogram low;
  Histogram high;
  for (std::uint64_t value = 1; value <= 50; ++value) {
    low.record(value);
    high.record(value + 50);
  }
  low.add(high);
  EXPECT_EQ(low.count(), 100u);
  EXPECT_EQ(low.percentile(0.5), 50u);
  EXPECT_EQ(low.percentile(1), 100u);
}

}  // namespace
}  // namespace comch::tool
