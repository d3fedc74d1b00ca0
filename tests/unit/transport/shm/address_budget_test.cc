// AddressBudget: what one peer has, what all have, and what comes back.
#include "transport/shm/address_budget.h"

#include <gtest/gtest.h>

#include <vector>

namespace comch::transport::shm {
namespace {

TEST(AddressBudgetTest, APeerHasItsShareAndNoByteMore) {
  AddressBudget peer, other;
  const auto most = peer.take(AddressBudget::kOfAPeer - 1);
  EXPECT_TRUE(most);
  EXPECT_FALSE(peer.take(2));
  EXPECT_TRUE(other.take(2));
  const auto last = peer.take(1);
  EXPECT_TRUE(last);
  EXPECT_FALSE(peer.take(1));
  EXPECT_FALSE(other.take(~std::uint64_t{0})) << "no sum wraps";
}

TEST(AddressBudgetTest, AllPeersTogetherLeaveRoomForTheProcess) {
  std::vector<AddressBudget> peers(AddressBudget::kOfAll / AddressBudget::kOfAPeer + 1);
  std::vector<std::shared_ptr<const void>> taken;
  for (AddressBudget& peer : peers) taken.push_back(peer.take(AddressBudget::kOfAPeer));
  EXPECT_FALSE(taken.back());
  taken.erase(taken.begin());
  EXPECT_TRUE(taken.front());
  EXPECT_TRUE(peers.back().take(AddressBudget::kOfAPeer)) << "what was refused took nothing";
}

TEST(AddressBudgetTest, WhatIsGivenBackCanBeTakenAgainAlsoWhenThePeerIsGone) {
  auto peer = std::make_unique<AddressBudget>();
  auto share = peer->take(AddressBudget::kOfAPeer);
  const auto copy = share;
  share.reset();
  EXPECT_FALSE(peer->take(1)) << "a copy is left";
  peer.reset();
  EXPECT_TRUE(copy);
}

}  // namespace
}  // namespace comch::transport::shm
