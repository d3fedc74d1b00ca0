// RecordCheck: each kind's own rule, and what holds while a staged message is open.
#include "shm/record_check.h"

#include <gtest/gtest.h>

namespace comch::shm {
namespace {

constexpr LaneShape kShape{
    .slots = 4, .immediate_max = 100, .side_stride = 0, .bounce_size = 4096, .head_credit = true};

LaneRecord record_of(LaneKind kind, std::uint64_t length, std::uint64_t first = 0,
                     std::uint64_t second = 0) {
  return {.length = length, .control = {first, second}, .immediate = 0, .index = 3, .kind = kind};
}

struct RecordCheckTest : testing::Test {
  bool is_sound(const LaneRecord& record) const { return check.is_sound(record); }
  RecordCheck check{kShape};
};

TEST_F(RecordCheckTest, ImmediateDataAloneHasNoLength) {
  EXPECT_TRUE(is_sound(record_of(LaneKind::kImmediate, 0)));
  EXPECT_FALSE(is_sound(record_of(LaneKind::kImmediate, 1)));
}

TEST_F(RecordCheckTest, ImmediateDataIsAsLongAsWasAgreedAtMost) {
  LaneRecord record = record_of(LaneKind::kDirect, 10);
  record.immediate = 100;
  EXPECT_TRUE(is_sound(record));
  record.immediate = 101;
  EXPECT_FALSE(is_sound(record));
}

TEST_F(RecordCheckTest, InlineDataFitsIntoItsSlot) {
  EXPECT_TRUE(is_sound(record_of(LaneKind::kInline, kLanePayload)));
  EXPECT_FALSE(is_sound(record_of(LaneKind::kInline, kLanePayload + 1)));
}

TEST_F(RecordCheckTest, AKindThatDoesNotExistIsNotSound) {
  // NOLINTBEGIN(clang-analyzer-optin.core.EnumCastOutOfRange): what a peer may write.
  EXPECT_FALSE(is_sound(record_of(LaneKind{0}, 0)));
  EXPECT_FALSE(is_sound(record_of(LaneKind{9}, 0)));
  // NOLINTEND(clang-analyzer-optin.core.EnumCastOutOfRange)
}

TEST_F(RecordCheckTest, AChunkLiesInTheBounceAreaAndIsNoLongerThanItsMessage) {
  EXPECT_TRUE(is_sound(record_of(LaneKind::kStaged, 5000, 0, 4096)));
  EXPECT_FALSE(is_sound(record_of(LaneKind::kStaged, 5000, 1, 4096)));
  EXPECT_FALSE(is_sound(record_of(LaneKind::kStaged, 5000, 0, 0)));
  EXPECT_FALSE(is_sound(record_of(LaneKind::kStaged, 99, 0, 100)));
}

TEST_F(RecordCheckTest, AStagedMessageIsFollowedByItsRestAndByNothingElse) {
  EXPECT_FALSE(is_sound(record_of(LaneKind::kStagedNext, 10, 0, 10))) << "nothing is open";
  check.pass(record_of(LaneKind::kStaged, 100, 0, 60));
  EXPECT_TRUE(check.is_open());
  EXPECT_FALSE(is_sound(record_of(LaneKind::kDirect, 10)));
  EXPECT_FALSE(is_sound(record_of(LaneKind::kStaged, 10, 0, 10)));
  EXPECT_FALSE(is_sound(record_of(LaneKind::kStagedNext, 41, 0, 41))) << "longer than the rest";
  LaneRecord other = record_of(LaneKind::kStagedNext, 40, 0, 40);
  other.index = 4;
  EXPECT_FALSE(is_sound(other)) << "another buffer's";
  const LaneRecord rest = record_of(LaneKind::kStagedNext, 40, 0, 40);
  EXPECT_TRUE(is_sound(rest));
  EXPECT_EQ(check.left_behind(rest), 0U);
  check.pass(rest);
  EXPECT_FALSE(check.is_open());
  EXPECT_TRUE(is_sound(record_of(LaneKind::kDirect, 10)));
}

TEST_F(RecordCheckTest, ARowHasAsManyMessagesAsThereAreSlotsAtMostAndALineForEach) {
  const auto row_of = [](std::uint32_t messages, std::uint64_t length) {
    return LaneRecord{.length = length, .immediate = messages, .kind = LaneKind::kRow};
  };
  EXPECT_TRUE(is_sound(row_of(1, 1)));
  EXPECT_TRUE(is_sound(row_of(4, kRowPayload)));
  EXPECT_FALSE(is_sound(row_of(0, 1)));
  EXPECT_FALSE(is_sound(row_of(5, 1)));
  EXPECT_FALSE(is_sound(row_of(4, 0)));
  EXPECT_FALSE(is_sound(row_of(4, kRowPayload + 1)));
  EXPECT_FALSE(is_sound(row_of(4, (std::uint64_t{1} << 32U) + 1)));
  check.pass(record_of(LaneKind::kStaged, 100, 0, 60));
  EXPECT_FALSE(is_sound(row_of(1, 1))) << "amid a staged message";
}

TEST_F(RecordCheckTest, AJobIsCutIntoChunksOfASizeThatIsAllowed) {
  EXPECT_TRUE(is_sound(record_of(LaneKind::kJob, 1U << 20U, std::uint64_t{kChunkShift} << 32U)));
  EXPECT_FALSE(is_sound(record_of(LaneKind::kJob, 0, std::uint64_t{kChunkShift} << 32U)));
  EXPECT_FALSE(is_sound(record_of(LaneKind::kJob, 1U << 20U, std::uint64_t{63} << 32U)));
}

}  // namespace
}  // namespace comch::shm
