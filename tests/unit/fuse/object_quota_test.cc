// Tests of fuse/object_quota.h: who has how much, and gives it back.
#include "object_quota.h"

#include <gtest/gtest.h>

#include <vector>

namespace comch::fuse {
namespace {

constexpr uid_t kAnna = 61001, kBert = 61002, kDaemon = 61003;

TEST(ObjectQuotaTest, EveryUserHasAsManyAsTheNextOne) {
  ObjectQuota quota(2, kDaemon);
  const auto first = quota.take(kAnna), second = quota.take(kAnna);
  EXPECT_TRUE(first && second);
  EXPECT_FALSE(quota.take(kAnna));
  EXPECT_TRUE(quota.take(kBert));
}

TEST(ObjectQuotaTest, WhatIsGivenBackCanBeTakenAgain) {
  ObjectQuota quota(1, kDaemon);
  for (int n = 0; n < 3; ++n) {
    const auto only = quota.take(kAnna);
    EXPECT_TRUE(only) << n;
    EXPECT_FALSE(quota.take(kAnna)) << n;
  }
}

TEST(ObjectQuotaTest, RootAndTheDaemonsUserAreNotCounted) {
  ObjectQuota quota(1, kDaemon);
  std::vector<std::shared_ptr<const void>> taken;
  for (const uid_t user : {uid_t{0}, kDaemon}) {
    for (int n = 0; n < 3; ++n) EXPECT_TRUE(taken.emplace_back(quota.take(user))) << user;
  }
}

TEST(ObjectQuotaTest, ShareMayOutliveTheQuota) {
  std::shared_ptr<const void> share;
  {
    ObjectQuota quota(1, kDaemon);
    share = quota.take(kAnna);
  }
  EXPECT_TRUE(share);
}

}  // namespace
}  // namespace comch::fuse
