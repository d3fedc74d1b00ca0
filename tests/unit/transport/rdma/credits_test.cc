// Credits: counts of what may be under way, and a peer that lies about them.
#include "transport/rdma/credits.h"

#include <gtest/gtest.h>

namespace comch::transport::rdma {
namespace {

TEST(RdmaCreditsTest, TheWindowIsWhatMayBeUnderWay) {
  SendCredits credits(2);
  EXPECT_EQ(credits.available(), 2U);
  credits.take();
  credits.take();
  EXPECT_EQ(credits.available(), 0U);
  EXPECT_TRUE(credits.told(1));
  EXPECT_EQ(credits.available(), 1U);
}

TEST(RdmaCreditsTest, APeerThatFreesMoreThanWasSentIsFoundOut) {
  SendCredits credits(4);
  credits.take();
  EXPECT_FALSE(credits.told(2));
  EXPECT_TRUE(credits.told(1));
  EXPECT_FALSE(credits.told(0)) << "what was freed stays freed";
}

TEST(RdmaCreditsTest, APeerThatSendsMoreThanItMayIsFoundOut) {
  ReceiveCredits credits(2);
  EXPECT_TRUE(credits.arrived());
  EXPECT_TRUE(credits.arrived());
  credits.freed(1);
  EXPECT_FALSE(credits.arrived()) << "it was not told yet";
}

TEST(RdmaCreditsTest, TellingIsDueWhenHalfOfTheWindowIsUsedUp) {
  ReceiveCredits credits(4);
  EXPECT_FALSE(credits.is_due());
  EXPECT_TRUE(credits.arrived());
  credits.freed(1);
  EXPECT_FALSE(credits.is_due());
  EXPECT_TRUE(credits.arrived());
  EXPECT_TRUE(credits.is_due());
  EXPECT_EQ(credits.tell(), 1U);
  EXPECT_FALSE(credits.is_due()) << "there is nothing new to tell";
}

TEST(RdmaCreditsTest, CountsWrapAround) {
  SendCredits sends(3);
  ReceiveCredits receives(3);
  for (std::uint64_t n = 0; n < (std::uint64_t{1} << 32U) + 10; n += 0x10000001) {
    // As far as one side can get without the other.
    for (int k = 0; k < 3; ++k) {
      sends.take();
      ASSERT_TRUE(receives.arrived());
      receives.freed(1);
      ASSERT_TRUE(sends.told(receives.tell()));
    }
  }
  EXPECT_EQ(sends.available(), 3U);
}

}  // namespace
}  // namespace comch::transport::rdma
