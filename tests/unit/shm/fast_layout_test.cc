// The contract of PostedLayout and LaneLayout.
#include "shm/fast_layout.h"

#include <gtest/gtest.h>

#include <bit>

namespace comch::shm {
namespace {

using Sizes = LaneLayout::Sizes;

TEST(FastLayoutTest, PostedDescriptorsLieWhereTheFormatSays) {
  EXPECT_EQ(PostedLayout::make(64).value(),
            (PostedLayout{.ring = 128, .slots = 128, .size = 4096}));
  EXPECT_EQ(PostedLayout::make(kMaxDepth).value().slots, 2 * kMaxDepth);
}

TEST(FastLayoutTest, ALaneLiesWhereTheFormatSays) {
  const LaneLayout lane =
      LaneLayout::make(
          {.depth = 64, .slots = 0, .immediate_max = 256, .bounce_size = 1U << 20U, .handles = 16})
          .value();
  EXPECT_EQ(lane.returns, 128U);
  EXPECT_EQ(lane.returns_slots, 16U);
  EXPECT_EQ(lane.slots, 4096U);
  EXPECT_EQ(lane.side, 4096U + 64U * 128U);
  EXPECT_EQ(lane.shape.side_stride, 256U);
  EXPECT_EQ(lane.bounce, lane.side + 64U * 256U);
  EXPECT_EQ(lane.size, lane.bounce + (1U << 20U));
}

TEST(FastLayoutTest, AsManySlotsAsPostsNeedNoHead) {
  EXPECT_FALSE(LaneLayout::make({.depth = 100}).value().shape.head_credit);
  EXPECT_EQ(LaneLayout::make({.depth = 100}).value().shape.slots, 128U);
  EXPECT_TRUE(LaneLayout::make({.depth = 100, .slots = 64}).value().shape.head_credit);
  EXPECT_TRUE(LaneLayout::make({.depth = 100, .bounce_size = 4096}).value().shape.head_credit)
      << "a staged message takes several slots";
  EXPECT_TRUE(LaneLayout::make({.depth = 100, .viewed = true}).value().shape.head_credit)
      << "nothing is posted";
  EXPECT_FALSE(LaneLayout::make({.depth = 100, .slots = 8192}).value().shape.head_credit);
  EXPECT_EQ(LaneLayout::make({.depth = 100, .slots = 8192}).value().shape.slots, 128U);
}

TEST(FastLayoutTest, ShortImmediateDataNeedsNoSideArea) {
  EXPECT_EQ(LaneLayout::make({.depth = 8, .immediate_max = 80}).value().shape.side_stride, 0U);
  EXPECT_EQ(LaneLayout::make({.depth = 8, .immediate_max = 81}).value().shape.side_stride, 128U);
}

TEST(FastLayoutTest, PartsOfEveryLayoutAreAlignedApartAndInside) {
  for (const std::uint32_t depth : {1U, 2U, 3U, 64U, 8191U, kMaxDepth}) {
    const PostedLayout posted = PostedLayout::make(depth).value();
    EXPECT_LE(posted.ring + std::uint64_t{posted.slots} * kPostedSize, posted.size);
    EXPECT_EQ(posted.size % kPage, 0U);
    for (const std::uint32_t slots : {0U, 1U, 5U, kMaxLaneSlots}) {
      for (const std::uint32_t immediate : {0U, 80U, 256U}) {
        for (const std::uint64_t bounce : {std::uint64_t{0}, std::uint64_t{1}, kMaxBounce}) {
          for (const std::uint32_t handles : {0U, 1U, 1000U, kMaxLaneSlots}) {
            const LaneLayout lane =
                LaneLayout::make({depth, slots, immediate, bounce, handles}).value();
            EXPECT_TRUE(std::has_single_bit(lane.shape.slots));
            EXPECT_GE(lane.shape.slots, 2U);
            EXPECT_LE(lane.returns + std::uint64_t{lane.returns_slots} * 8, lane.slots);
            EXPECT_GE(lane.returns_slots, handles);
            EXPECT_EQ(lane.slots % kPage, 0U);
            EXPECT_EQ(lane.side % kCacheLine, 0U);
            EXPECT_LE(lane.slots + std::uint64_t{lane.shape.slots} * kLaneSlot, lane.side);
            EXPECT_LE(lane.side + std::uint64_t{lane.shape.slots} * lane.shape.side_stride,
                      lane.bounce);
            EXPECT_EQ(lane.bounce % kPage, 0U);
            EXPECT_LE(lane.bounce + bounce, lane.size);
            EXPECT_EQ(lane.size % kPage, 0U);
            EXPECT_TRUE(lane.shape.head_credit || lane.shape.slots >= depth);
          }
        }
      }
    }
  }
}

TEST(FastLayoutTest, SizesOutsideTheirLimitsAreRefused) {
  for (const std::uint32_t depth : {0U, kMaxDepth + 1, ~0U}) {
    EXPECT_EQ(PostedLayout::make(depth).error().code, Errc::invalid_value);
  }
  for (const Sizes& sizes :
       {Sizes{.depth = 0}, Sizes{.depth = kMaxDepth + 1}, Sizes{.depth = 1, .slots = 8193},
        Sizes{.depth = 1, .immediate_max = 257}, Sizes{.depth = 1, .bounce_size = kMaxBounce + 1},
        Sizes{.depth = 1, .handles = 8193}, Sizes{~0U, ~0U, ~0U, ~0ULL, ~0U}}) {
    const auto layout = LaneLayout::make(sizes);
    ASSERT_FALSE(layout);
    EXPECT_EQ(layout.error().code, Errc::invalid_value);
  }
}

}  // namespace
}  // namespace comch::shm
