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
  constexpr std::uint32_t kLast = 0xffff'fffe;
  SendCredits sends(3, kLast);
  ReceiveCredits receives(3, kLast);
  for (std::uint64_t n = 1; n <= 5; ++n) {
    // As far as one side can get without the other.
    for (int k = 0; k < 3; ++k) {
      EXPECT_EQ(sends.available(), 3U - static_cast<std::uint32_t>(k));
      sends.take();
      ASSERT_TRUE(receives.arrived());
    }
    EXPECT_EQ(sends.available(), 0U);
    receives.freed(3);
    EXPECT_TRUE(receives.is_due());
    ASSERT_TRUE(sends.told(receives.tell()));
    EXPECT_EQ(sends.taken(), 3 * n) << "this one does not wrap";
  }
  EXPECT_FALSE(sends.told(kLast)) << "long ago";
}

}  // namespace
}  // namespace comch::transport::rdma
