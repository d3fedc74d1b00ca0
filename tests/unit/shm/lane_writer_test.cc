// The writer of a Lane: its room, and a reader that lies about the head. lane_test.cc has what both
// halves promise together.
#include "shm/lane_writer.h"

#include <gtest/gtest.h>

#include "unit/shm/lane_of.h"

namespace comch::shm {
namespace {

struct LaneWriterTest : testing::Test, LaneOf<std::uint32_t> {
  LaneWriterTest() : LaneOf(true) {}
};

TEST_F(LaneWriterTest, AFullLaneHasNoRoomUntilTheReaderGivesSome) {
  for (std::uint16_t n = 0; n < kSlots; ++n) {
    ASSERT_EQ(writer.room(), kSlots - n);
    writer.put_immediate(n, {});
  }
  writer.publish();
  EXPECT_EQ(writer.room(), 0U);
  ASSERT_EQ(look(), Look::kMessage);
  reader.pop(record);
  EXPECT_TRUE(reader.flush());
  EXPECT_FALSE(reader.flush()) << "given once";
  EXPECT_EQ(writer.room(), 1U);
  EXPECT_EQ(writer.head(), 1U);
}

TEST_F(LaneWriterTest, AReaderThatClaimsUnsentMessagesIsNamedOnceAndForGood) {
  writer.put_immediate(0, {});
  writer.publish();
  shared.head.publish(2, std::memory_order_relaxed);
  writer.look_again();
  EXPECT_TRUE(writer.broken());
  EXPECT_EQ(writer.room(), 0U);
  shared.head.publish(1, std::memory_order_relaxed);
  writer.look_again();
  EXPECT_EQ(writer.room(), 0U) << "too late to take it back";
}

TEST_F(LaneWriterTest, AHeadThatMovesBackBreaksTheWriter) {
  for (std::uint16_t n = 0; n < kSlots; ++n) writer.put_immediate(n, {});
  shared.head.publish(3, std::memory_order_relaxed);
  writer.look_again();
  EXPECT_EQ(writer.head(), 3U);
  shared.head.publish(2, std::memory_order_relaxed);
  writer.look_again();
  EXPECT_TRUE(writer.broken());
}

TEST_F(LaneWriterTest, APassedPositionIsOneWhoseSlotWasWrittenAgain) {
  const auto position = writer.position();
  for (std::uint16_t n = 0; n < kSlots; ++n) writer.put_immediate(n, {});
  EXPECT_FALSE(writer.passed(position));
  writer.publish();
  for (std::uint16_t n = 0; n < kSlots; ++n) {
    ASSERT_EQ(look(), Look::kMessage);
    reader.pop(record);
  }
  ASSERT_EQ(writer.room(), kSlots);
  writer.put_immediate(0, {});
  EXPECT_TRUE(writer.passed(position));
}

}  // namespace
}  // namespace comch::shm
