// Desk: each descriptor once, in order, and none that the consumer cannot have posted.
#include "transport/rdma/desk.h"

#include <gtest/gtest.h>

#include <array>

namespace comch::transport::rdma {
namespace {

constexpr std::uint32_t kDeskDepth = 4;
constexpr std::uint32_t kDeskSlots = posted_slots(kDeskDepth);

struct RdmaDeskTest : testing::Test {
  void post(std::uint16_t index, std::uint64_t offset = 0) {
    write_posted(board.data(), next++, kDeskSlots,
                 {.offset = offset, .capacity = 64, .index = index});
  }
  alignas(64) std::array<std::byte, board_size(kDeskDepth)> board{};
  Desk desk{board.data(), kDeskDepth, 4096};
  Posted posted;
  std::uint32_t next = 0;
};

TEST_F(RdmaDeskTest, TakesEachOnceAndInOrder) {
  EXPECT_FALSE(desk.ready());
  EXPECT_EQ(desk.take(posted), BoardLook::kNothing);
  for (std::uint16_t n = 0; n < 100; ++n) {
    post(n % kDeskDepth, n);
    EXPECT_TRUE(desk.ready());
    ASSERT_EQ(desk.take(posted), BoardLook::kPosted);
    EXPECT_EQ(posted.index, n % kDeskDepth);
    EXPECT_EQ(posted.offset, n);
    EXPECT_EQ(desk.take(posted), BoardLook::kNothing);
  }
}

TEST_F(RdmaDeskTest, WhatComesBackIsTheNextOneTaken) {
  post(0);
  post(1);
  ASSERT_EQ(desk.take(posted), BoardLook::kPosted);
  desk.give_back(posted);
  ASSERT_EQ(desk.take(posted), BoardLook::kPosted);
  EXPECT_EQ(posted.index, 0);
  ASSERT_EQ(desk.take(posted), BoardLook::kPosted);
  EXPECT_EQ(posted.index, 1);
}

TEST_F(RdmaDeskTest, AConsumerThatPostsMoreThanItsDepthIsNotBelievedAnyMore) {
  for (std::uint16_t n = 0; n < kDeskDepth; ++n) post(n);
  ASSERT_EQ(desk.take(posted), BoardLook::kPosted) << "as many as it may";
  post(0);
  post(1);
  EXPECT_EQ(desk.take(posted), BoardLook::kBroken);
  EXPECT_EQ(desk.take(posted), BoardLook::kBroken) << "for good";
  EXPECT_TRUE(desk.ready()) << "somebody is to be told";
}

TEST_F(RdmaDeskTest, ARoomOutsideOfItsMapBreaksItForGood) {
  post(0, 4096);
  EXPECT_EQ(desk.take(posted), BoardLook::kBroken);
  post(1, 0);
  EXPECT_EQ(desk.take(posted), BoardLook::kBroken);
}

}  // namespace
}  // namespace comch::transport::rdma
