// Tests of fuse/user_quota.h: who has how much, and gives it back.
#include "user_quota.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace comch::fuse {
namespace {

constexpr uid_t kAnna = 61001, kBert = 61002, kDaemon = 61003;

TEST(UserQuotaTest, EveryUserHasAsManyAsTheNextOne) {
  UserQuota quota(2, kDaemon);
  const auto first = quota.take(kAnna), second = quota.take(kAnna);
  EXPECT_TRUE(first && second);
  EXPECT_FALSE(quota.take(kAnna));
  EXPECT_TRUE(quota.take(kBert));
}

TEST(UserQuotaTest, AmountsAddUpAndDoNotWrap) {
  UserQuota quota(100, kDaemon);
  const auto most = quota.take(kAnna, 99);
  EXPECT_TRUE(most);
  EXPECT_FALSE(quota.take(kAnna, 2));
  EXPECT_FALSE(quota.take(kAnna, ~std::uint64_t{0}));
  EXPECT_FALSE(quota.take(kBert, 101));
  EXPECT_TRUE(quota.take(kBert, 100));
  EXPECT_TRUE(quota.take(kAnna, 1));
}

TEST(UserQuotaTest, WhatIsGivenBackCanBeTakenAgain) {
  UserQuota quota(1, kDaemon);
  for (int n = 0; n < 3; ++n) {
    const auto only = quota.take(kAnna);
    EXPECT_TRUE(only) << n;
    EXPECT_FALSE(quota.take(kAnna)) << n;
  }
}

TEST(UserQuotaTest, RootAndTheDaemonsUserAreNotCounted) {
  UserQuota quota(1, kDaemon);
  std::vector<std::shared_ptr<const void>> taken;
  for (const uid_t user : {uid_t{0}, kDaemon}) {
    for (int n = 0; n < 3; ++n) EXPECT_TRUE(taken.emplace_back(quota.take(user))) << user;
  }
}

TEST(UserQuotaTest, WhatAPeerHasChosenIsCountedForEverybody) {
  constexpr auto kByPeer = UserQuota::Chosen::kByPeer;
  UserQuota quota(100, kDaemon);
  for (const uid_t user : {uid_t{0}, kDaemon, kAnna}) {
    const auto first = quota.take(user, 99, kByPeer);
    EXPECT_TRUE(first) << user;
    EXPECT_FALSE(quota.take(user, 2, kByPeer)) << user;
    EXPECT_EQ(quota.take(user, 2) == nullptr, user == kAnna) << "one sum";
  }
  EXPECT_TRUE(quota.take(0, 100, kByPeer));
}

TEST(UserQuotaTest, ShareMayOutliveTheQuota) {
  std::shared_ptr<const void> share;
  {
    UserQuota quota(1, kDaemon);
    share = quota.take(kAnna);
  }
  EXPECT_TRUE(share);
}

}  // namespace
}  // namespace comch::fuse
