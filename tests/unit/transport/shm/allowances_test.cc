// Allowances: what is mapped for a peer takes of two things.
#include "transport/shm/allowances.h"

#include <gtest/gtest.h>

namespace comch::transport::shm {
namespace {

constexpr Allowance::Most kMost = Allowance::kAddresses;

TEST(AllowancesTest, WhatIsMappedTakesOfBothOrNeither) {
  Allowances peer;
  {
    const auto share = take_mapped(peer, kMost.of_a_peer, 1);
    EXPECT_TRUE(share);
    EXPECT_EQ(take_mapped(peer, 1, 1).error().code, Errc::no_memory);
  }
  const auto share = take_mapped(peer, 1, Allowance::mappings().of_a_peer);
  EXPECT_TRUE(share);
  EXPECT_EQ(take_mapped(peer, kMost.of_a_peer - 1, 1).error().code, Errc::full);
  EXPECT_TRUE(take_mapped(peer, kMost.of_a_peer - 1, 0)) << "what was refused took nothing";
}

}  // namespace
}  // namespace comch::transport::shm
