// Traffic: the masks, and words for everything that can happen to a work request.
#include "transport/rdma/traffic.h"

#include <gtest/gtest.h>

#include <set>

namespace comch::transport::rdma {
namespace {

TEST(RdmaTrafficTest, ARegionAllowsWhatItsMaskHas) {
  constexpr RegionAccess mask = RegionAccess::kLocalWrite | RegionAccess::kRemoteWrite;
  EXPECT_TRUE(allows(mask, RegionAccess::kRemoteWrite));
  EXPECT_TRUE(allows(mask, RegionAccess::kLocalWrite));
  EXPECT_FALSE(allows(RegionAccess::kLocalRead, RegionAccess::kLocalWrite));
}

TEST(RdmaTrafficTest, EveryStatusHasAWordOfItsOwn) {
  std::set<std::string_view> words;
  for (int n = 0; n <= static_cast<int>(CompletionStatus::kOther); ++n) {
    EXPECT_TRUE(words.insert(name(static_cast<CompletionStatus>(n))).second) << n;
  }
}

}  // namespace
}  // namespace comch::transport::rdma
