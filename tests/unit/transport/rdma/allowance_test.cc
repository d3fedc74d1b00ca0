// Allowance: what one peer, and what all together may have.
#include "transport/rdma/allowance.h"

#include <gtest/gtest.h>

#include <vector>

namespace comch::transport::rdma {
namespace {

TEST(RdmaAllowanceTest, APeerHasSoManyQueuePairsAndWhatIsGivenBackCanBeTakenAgain) {
  Allowance allowance({.pairs = 2, .bytes = 100});
  auto one = allowance.take(10);
  auto two = allowance.take(10);
  ASSERT_TRUE(one && two);
  EXPECT_EQ(allowance.take(10).error().code, Errc::full);
  one->reset();
  EXPECT_TRUE(allowance.take(10));
}

TEST(RdmaAllowanceTest, APeerHasSoMuchMemoryAndNoSumWraps) {
  Allowance allowance({.pairs = 10, .bytes = 100});
  const auto most = allowance.take(60);
  EXPECT_EQ(allowance.take(41).error().code, Errc::no_memory);
  EXPECT_EQ(allowance.take(~std::uint64_t{0}).error().code, Errc::no_memory);
  EXPECT_TRUE(allowance.take(40));
}

TEST(RdmaAllowanceTest, OnePeerLeavesSomethingForOthersAndAllTogetherForThisProcess) {
  const Allowance::Amount peer = Allowance::of_a_peer(), all = Allowance::of_all();
  std::vector<std::shared_ptr<const void>> shares;
  for (std::uint64_t n = 0; n < all.bytes / peer.bytes; ++n) {
    Allowance one;
    shares.push_back(one.take(peer.bytes).value());
    EXPECT_EQ(one.take(1).error().code, Errc::no_memory);
  }
  Allowance late;
  EXPECT_EQ(late.take(1).error().code, Errc::no_memory);
  shares.pop_back();
  EXPECT_TRUE(late.take(1));
}

TEST(RdmaAllowanceTest, AShareMayOutliveWhatItWasTakenOf) {
  std::shared_ptr<const void> share;
  {
    Allowance allowance;
    share = allowance.take(1).value();
  }
  share.reset();
}

}  // namespace
}  // namespace comch::transport::rdma
