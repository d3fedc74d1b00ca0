// PeerMaps: what ends is unmapped when it is passed and not held.
#include "transport/shm/peer_maps.h"

#include <gtest/gtest.h>

#include <array>

#include "os/memfd.h"
#include "os/syscalls.h"

namespace comch::transport::shm {
namespace {

constexpr std::uint64_t kPageSize = 4096;

struct PeerMapsTest : testing::Test {
  Status add(std::uint32_t number) {
    std::array<os::Fd, 1> fds{os::make_sealed_memfd("comch-test", kPageSize).value()};
    return maps.add({.number = number, .offset = 0, .size = kPageSize}, fds, allowances);
  }
  Errc refusal(std::uint32_t number) {
    const Status added = add(number);
    return added ? Errc::skipped : added.error().code;
  }

  Allowances allowances;
  PeerMaps maps{Descriptors::kClosed};
};

TEST_F(PeerMapsTest, EachIsKnownByItsNumberAndNumbersAscend) {
  ASSERT_TRUE(add(2));
  ASSERT_TRUE(add(7));
  EXPECT_EQ(maps.find(7)->bytes().size(), kPageSize);
  EXPECT_EQ(maps.find(3), nullptr);
  EXPECT_EQ(refusal(7), Errc::connection_reset);
  EXPECT_EQ(refusal(5), Errc::connection_reset);
  EXPECT_TRUE(add(~0U));
  EXPECT_EQ(refusal(~0U), Errc::connection_reset);
  EXPECT_EQ(refusal(0), Errc::connection_reset);
}

TEST_F(PeerMapsTest, ThoseThatHaveEndedGoInTheOrderOfTheirEnds) {
  for (std::uint32_t number = 0; number < 3; ++number) ASSERT_TRUE(add(number));
  EXPECT_FALSE(maps.ending());
  EXPECT_TRUE(maps.end(1));
  EXPECT_FALSE(maps.end(1)) << "once";
  EXPECT_TRUE(maps.end(0));
  EXPECT_FALSE(maps.end(8)) << "there is none";
  EXPECT_EQ(maps.ends(), 2U);
  maps.unmap(0);
  EXPECT_EQ(maps.mapped(), 3U);
  maps.unmap(1);
  EXPECT_EQ(maps.find(1), nullptr);
  EXPECT_NE(maps.find(0), nullptr);
  EXPECT_TRUE(maps.ending());
  maps.unmap(2);
  EXPECT_EQ(maps.mapped(), 1U);
  EXPECT_FALSE(maps.ending());
}

TEST_F(PeerMapsTest, WhatALaneLeftBehindIsLetGoOnceAndByItsPlace) {
  ASSERT_TRUE(add(0));
  ASSERT_TRUE(add(1));
  for (const std::uint32_t number : {0U, 1U}) {
    PeerMap& map = *maps.find(number);
    map.holds = 1;
    maps.keep(5, 2, map);
    ASSERT_TRUE(maps.end(number));
  }
  const std::byte* const last = &maps.find(1)->bytes().back();
  maps.let_go(5, 3, last);
  maps.let_go(4, 2, last);
  maps.unmap(2);
  EXPECT_EQ(maps.mapped(), 2U);
  maps.let_go(5, 2, last);
  maps.let_go(5, 2, last);
  maps.unmap(2);
  EXPECT_NE(maps.find(0), nullptr);
  EXPECT_EQ(maps.find(1), nullptr);
}

TEST_F(PeerMapsTest, KeepsNoDescriptorUnlessItIsToAndThenOneOfEach) {
  ASSERT_TRUE(add(0));
  EXPECT_FALSE(maps.hold(maps.find(0)->bytes())->file);
  std::array<os::Fd, 1> fds{os::make_sealed_memfd("comch-test", 3 * kPageSize).value()};
  PeerMaps keeps{Descriptors::kKept};
  ASSERT_TRUE(keeps.add({.number = 0, .offset = kPageSize, .size = kPageSize}, fds, allowances));
  const auto memory = keeps.hold(keeps.find(0)->bytes().subspan(5, 2));
  ASSERT_TRUE(memory);
  EXPECT_TRUE(memory->file);
  EXPECT_EQ(memory->file_offset(memory->window.bytes().data() + 5), kPageSize + 5);
  ASSERT_TRUE(keeps.end(0));
  keeps.unmap(1);
  EXPECT_EQ(memory->window.bytes()[5], std::byte{}) << "who holds it has both";
  std::array<std::byte, 1> byte{};
  EXPECT_EQ(os::syscalls().pread(memory->file.get(), byte.data(), 1, kPageSize + 5), 1);
}

TEST_F(PeerMapsTest, ADescriptorThatIsKeptIsThePeersShare) {
  const std::uint64_t most = Allowance::descriptors().of_a_peer;
  PeerMaps keeps{Descriptors::kKept};
  const auto others = allowances.descriptors.take(most - 1);
  ASSERT_TRUE(others);
  for (const std::uint32_t number : {0U, 1U}) {
    std::array<os::Fd, 1> fds{os::make_sealed_memfd("comch-test", kPageSize).value()};
    const wire::Map map{.number = number, .offset = 0, .size = kPageSize};
    const Status added = keeps.add(map, fds, allowances);
    ASSERT_EQ(added.has_value(), number == 0);
    if (!added) {
      EXPECT_EQ(added.error().code, Errc::full);
    }
  }
  EXPECT_TRUE(add(0)) << "one that is closed is nobody's";
  ASSERT_TRUE(keeps.end(0));
  keeps.unmap(1);
  EXPECT_TRUE(allowances.descriptors.take(1));
}

TEST_F(PeerMapsTest, OnlyThoseThatHaveNotEndedCount) {
  for (std::uint32_t number = 0; number < PeerMaps::kMost; ++number) ASSERT_TRUE(add(number));
  EXPECT_EQ(refusal(5000), Errc::connection_reset);
  maps.find(0)->holds = 1;
  ASSERT_TRUE(maps.end(0));
  EXPECT_TRUE(add(5000));
}

}  // namespace
}  // namespace comch::transport::shm
