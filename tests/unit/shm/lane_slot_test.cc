// The contract of LaneSlot: what lies where.
#include "shm/lane_slot.h"

#include <gtest/gtest.h>

namespace comch::shm {
namespace {

TEST(LaneSlotTest, PartsOfASlotNeverOverlapNorLeaveIt) {
  for (const LaneKind kind : {LaneKind::kImmediate, LaneKind::kInline, LaneKind::kDirect,
                              LaneKind::kStaged, LaneKind::kJob, LaneKind::kHandOver}) {
    for (std::uint32_t immediate = 0; immediate <= kMaxImmediate; ++immediate) {
      for (std::uint32_t length = 0; length <= kLanePayload; ++length) {
        const LaneSplit split = split_slot(kind, length, immediate);
        const std::uint32_t end = kind == LaneKind::kJob ? kClaimAt : kLaneSlot;
        ASSERT_GE(split.immediate_at, kind >= LaneKind::kStaged ? 32U : 16U);
        if (!split.in_side) {
          ASSERT_LE(split.immediate_at + whole_words(immediate), end);
          ASSERT_GE(split.data_at, split.immediate_at + immediate);
        }
        if (kind == LaneKind::kInline) {
          ASSERT_LE(split.data_at + whole_words(length), kLaneSlot);
        }
        ASSERT_EQ(split.data_at % 8, 0U);
      }
    }
  }
}

TEST(LaneSlotTest, AMessageOfARowIsOneLineOfItsSlot) {
  EXPECT_EQ(split_slot(LaneKind::kRow, kRowPayload, 0).data_at, kRowDataAt);
  EXPECT_EQ(kRowDataAt % kCacheLine, 0U);
  EXPECT_EQ(kRowDataAt + kRowPayload, kLaneSlot);
  EXPECT_FALSE(has_control(LaneKind::kRow));
}

TEST(LaneSlotTest, ShortImmediateDataIsInTheSlotOfEveryKind) {
  for (const LaneKind kind : {LaneKind::kImmediate, LaneKind::kDirect, LaneKind::kStaged,
                              LaneKind::kJob, LaneKind::kHandOver}) {
    EXPECT_FALSE(split_slot(kind, 1'000'000, kAlwaysInSlot).in_side);
    EXPECT_TRUE(split_slot(kind, 1'000'000, kMaxImmediate).in_side);
  }
}

TEST(LaneSlotTest, DataAndImmediateDataTravelInlineIfTheyFitTogetherOrThereIsASideArea) {
  const LaneShape bare{.slots = 2, .immediate_max = 80};
  EXPECT_TRUE(fits_inline(bare, 112, 0));
  EXPECT_FALSE(fits_inline(bare, 113, 0));
  EXPECT_TRUE(fits_inline(bare, 104, 8));
  EXPECT_FALSE(fits_inline(bare, 104, 9)) << "data begins at a multiple of 8";
  const LaneShape wide{.slots = 2, .immediate_max = 256, .side_stride = 256};
  EXPECT_TRUE(fits_inline(wide, 112, 256));
  EXPECT_FALSE(fits_inline(wide, 113, 0));
}

}  // namespace
}  // namespace comch::shm
