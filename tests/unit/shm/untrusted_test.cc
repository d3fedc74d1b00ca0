// The contract of Untrusted and contains().
#include "shm/untrusted.h"

#include <gtest/gtest.h>

#include <limits>

namespace comch::shm {
namespace {

TEST(UntrustedTest, BeginsAsZeroAndAnswersWhatWasPublished) {
  Untrusted<std::uint32_t> word;
  EXPECT_EQ(word.fetch(), 0U);
  word.publish(7, std::memory_order_release);
  EXPECT_EQ(word.fetch(std::memory_order_acquire), 7U);
}

TEST(UntrustedTest, AValueAboveTheLimitIsThePeersFault) {
  Untrusted<std::uint32_t> word;
  word.publish(8, std::memory_order_relaxed);
  EXPECT_EQ(word.fetch_at_most(8).value(), 8U);
  EXPECT_EQ(word.fetch_at_most(7).error().code, Errc::connection_reset);
}

TEST(ContainsTest, ARangeLiesWithinARegionOnlyIfNoSumWraps) {
  constexpr auto kMax = std::numeric_limits<std::uint64_t>::max();
  EXPECT_TRUE(contains(4096, {.offset = 0, .length = 4096}));
  EXPECT_TRUE(contains(0, {.offset = 0, .length = 0}));
  EXPECT_FALSE(contains(4096, {.offset = 1, .length = 4096}));
  EXPECT_FALSE(contains(4096, {.offset = 4097, .length = 0}));
  EXPECT_FALSE(contains(4096, {.offset = kMax, .length = 2}));
  EXPECT_FALSE(contains(4096, {.offset = 2, .length = kMax}));
}

}  // namespace
}  // namespace comch::shm
