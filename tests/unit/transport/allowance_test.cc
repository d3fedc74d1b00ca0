// Allowance: what one peer has, what all have, and what comes back.
#include "transport/allowance.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <vector>

#include "os/mappings.h"
#include "support/child_process.h"

namespace comch::transport {
namespace {

constexpr Allowance::Most kMost = Allowance::kAddresses;

TEST(AllowanceTest, APeerHasItsShareAndNoByteMore) {
  Allowance peer = Allowance::of_addresses(), other = Allowance::of_addresses();
  const auto most = peer.take(kMost.of_a_peer - 1);
  EXPECT_TRUE(most);
  EXPECT_FALSE(peer.take(2));
  EXPECT_TRUE(other.take(2));
  const auto last = peer.take(1);
  EXPECT_TRUE(last);
  EXPECT_FALSE(peer.take(1));
  EXPECT_FALSE(other.take(~std::uint64_t{0})) << "no sum wraps";
}

TEST(AllowanceTest, AllPeersTogetherLeaveRoomForTheProcess) {
  constexpr std::size_t kPeers = kMost.of_all / kMost.of_a_peer + 1;
  std::vector<Allowance> peers;
  for (std::size_t n = 0; n < kPeers; ++n) peers.push_back(Allowance::of_addresses());
  std::vector<std::shared_ptr<const void>> taken;
  for (Allowance& peer : peers) taken.push_back(peer.take(kMost.of_a_peer));
  EXPECT_FALSE(taken.back());
  taken.erase(taken.begin());
  EXPECT_TRUE(taken.front());
  EXPECT_TRUE(peers.back().take(kMost.of_a_peer)) << "what was refused took nothing";
}

TEST(AllowanceTest, WhatIsGivenBackCanBeTakenAgainAlsoWhenThePeerIsGone) {
  auto peer = std::make_unique<Allowance>(Allowance::of_addresses());
  auto share = peer->take(kMost.of_a_peer);
  const auto copy = share;
  share.reset();
  EXPECT_FALSE(peer->take(1)) << "a copy is left";
  peer.reset();
  EXPECT_TRUE(copy);
}

TEST(AllowanceTest, APeerHasAQuarterOfTheDescriptorsAndAllHaveThreeQuarters) {
  test::ChildProcess child = test::ChildProcess::run([] {
    const rlimit limit{.rlim_cur = 100, .rlim_max = 100};
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
    std::vector<Allowance> peers;
    std::vector<std::shared_ptr<const void>> taken;
    for (int n = 0; n < 3; ++n) {
      taken.push_back(peers.emplace_back(Allowance::of_descriptors()).take(25));
      EXPECT_TRUE(taken.back());
      EXPECT_FALSE(peers.back().take(1));
    }
    EXPECT_FALSE(Allowance::of_descriptors().take(1));
    taken.pop_back();
    EXPECT_TRUE(Allowance::of_descriptors().take(25));
    return 0;
  });
  EXPECT_EQ(child.wait(), test::Exit::with(0));
}

TEST(AllowanceTest, OfTheMappingsAPeerHasAQuarterAUserHalfAndAllThreeQuarters) {
  const std::uint64_t quarter = os::mappings_max() / 4;
  std::vector<std::shared_ptr<const void>> taken;
  for (const std::uint32_t user : {1000U, 1000U, 1001U}) {
    Allowance peer = Allowance::of_mappings(user);
    taken.push_back(peer.take(quarter));
    EXPECT_TRUE(taken.back());
    EXPECT_FALSE(peer.take(1));
  }
  EXPECT_FALSE(Allowance::of_mappings(1000).take(2)) << "its user has its share";
  EXPECT_FALSE(Allowance::of_mappings().take(4)) << "all have theirs";
}

// All that peers of one user may have, each of them its share.
std::vector<std::shared_ptr<const void>> take_all_of(std::uint32_t user) {
  constexpr std::size_t kPeers = kMost.of_a_user / kMost.of_a_peer;
  std::vector<std::shared_ptr<const void>> taken(kPeers);
  for (auto& share : taken) share = Allowance::of_addresses(user).take(kMost.of_a_peer);
  return taken;
}

TEST(AllowanceTest, AUsersPeersTogetherLeaveSomeToOtherUsers) {
  Allowance late = Allowance::of_addresses(1000);
  auto taken = take_all_of(1000);
  EXPECT_TRUE(taken.back());
  EXPECT_FALSE(late.take(1)) << "its user has its share";
  EXPECT_TRUE(Allowance::of_addresses(1001).take(kMost.of_a_peer));
  EXPECT_TRUE(Allowance::of_addresses().take(kMost.of_a_peer)) << "root's, or our own user's";
  taken.pop_back();
  EXPECT_TRUE(late.take(kMost.of_a_peer)) << "what was refused took nothing";
}

TEST(AllowanceTest, WhatAUserHasIsKnownWhenItsPeersAreGone) {
  auto taken = take_all_of(1000);
  EXPECT_FALSE(Allowance::of_addresses(1000).take(1));
  taken.clear();
  EXPECT_TRUE(Allowance::of_addresses(1000).take(1));
}

TEST(AllowanceTest, ALimitThatIsLoweredRefusesAndDoesNotWrap) {
  test::ChildProcess child = test::ChildProcess::run([] {
    Allowance before = Allowance::of_descriptors();
    const auto much = before.take(Allowance::descriptors().of_a_peer);
    const rlimit limit{.rlim_cur = 20, .rlim_max = 20};
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
    EXPECT_FALSE(Allowance::of_descriptors().take(1));
    return 0;
  });
  EXPECT_EQ(child.wait(), test::Exit::with(0));
}

}  // namespace
}  // namespace comch::transport
