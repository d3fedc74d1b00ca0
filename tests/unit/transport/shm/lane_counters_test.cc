// The contract of LaneCounters.
#include "transport/shm/lane_counters.h"

#include <gtest/gtest.h>

namespace comch::transport::shm {
namespace {

constexpr LaneCounters kEach{.in_slot = 1,
                             .bytes = 1'000'000,
                             .mapped = 20,
                             .staged = 300,
                             .cma = 4'000,
                             .cooperative = 50'000,
                             .loaned = 600'000,
                             .handed_over = 7'000'000,
                             .wakes_sent = 5};

TEST(LaneCountersTest, AMessageIsCountedOnceByTheWayItWent) {
  EXPECT_EQ(LaneCounters().messages(), 0U);
  EXPECT_EQ(kEach.messages(), 7'654'321U);
}

TEST(LaneCountersTest, TheSumOfLanesHasEverythingOfEach) {
  LaneCounters sum = kEach;
  sum += kEach;
  EXPECT_EQ(sum.messages(), 2 * kEach.messages());
  EXPECT_EQ(sum.bytes, 2 * kEach.bytes);
  EXPECT_EQ(sum.wakes_sent, 2 * kEach.wakes_sent);
}

}  // namespace
}  // namespace comch::transport::shm
