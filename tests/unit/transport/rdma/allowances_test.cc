// Allowances: what one peer, and what all together may have made.
#include "transport/rdma/allowances.h"

#include <gtest/gtest.h>

#include <vector>

namespace comch::transport::rdma {
namespace {

TEST(RdmaAllowancesTest, APeerHasSoManyQueuePairsAndWhatIsGivenBackCanBeTakenAgain) {
  Allowances peer;
  const auto others = peer.descriptors.take(Allowance::descriptors().of_a_peer - 2);
  auto one = take_pair(peer, 10);
  auto two = take_pair(peer, 10);
  ASSERT_TRUE(one && two);
  EXPECT_EQ(take_pair(peer, 10).error().code, Errc::full);
  *one = {};
  EXPECT_TRUE(take_pair(peer, 10));
}

TEST(RdmaAllowancesTest, APeerHasSoMuchMemoryAndNoSumWraps) {
  Allowances peer;
  const auto others = peer.pinned.take(Allowance::kPinned.of_a_peer - 100);
  const auto most = take_pair(peer, 60);
  EXPECT_EQ(take_pair(peer, 41).error().code, Errc::no_memory);
  EXPECT_EQ(take_pair(peer, ~std::uint64_t{0}).error().code, Errc::no_memory);
  EXPECT_TRUE(take_pair(peer, 40)) << "what was refused took nothing";
}

TEST(RdmaAllowancesTest, OnePeerLeavesSomethingForOthersAndAllTogetherForThisProcess) {
  constexpr Allowance::Most kMost = Allowance::kPinned;
  std::vector<PairShare> shares;
  for (std::uint64_t n = 0; n < kMost.of_all / kMost.of_a_peer; ++n) {
    Allowances one;
    shares.push_back(take_pair(one, kMost.of_a_peer).value());
    EXPECT_EQ(take_pair(one, 1).error().code, Errc::no_memory);
  }
  Allowances late;
  EXPECT_EQ(take_pair(late, 1).error().code, Errc::no_memory);
  shares.pop_back();
  EXPECT_TRUE(take_pair(late, 1));
}

TEST(RdmaAllowancesTest, AShareMayOutliveWhatItWasTakenOf) {
  PairShare share;
  {
    Allowances peer;
    share = take_pair(peer, 1).value();
  }
  share = {};
}

}  // namespace
}  // namespace comch::transport::rdma
