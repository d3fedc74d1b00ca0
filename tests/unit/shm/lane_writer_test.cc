// The writer of a Lane: its room, and a reader that lies about the head. lane_test.cc has what both
// halves promise together.
#include "shm/lane_writer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "unit/shm/lane_of.h"

namespace comch::shm {
namespace {

// Notes which words are written, in their order.
struct NotingMachine : FastMachine {
  static inline std::vector<std::size_t> written;
  static void store_word(Data data, std::size_t offset, std::uint64_t value) {
    written.push_back(offset);
    FastMachine::store_word(data, offset, value);
  }
  static void store_header(Data data, std::size_t offset, std::uint64_t value,
                           std::memory_order order) {
    written.push_back(offset);
    FastMachine::store_header(data, offset, value, order);
  }
};

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

TEST_F(LaneWriterTest, WritesTheSecondLineOfAMessageAheadOfAllInTheFirst) {
  LaneShared<NotingMachine, std::uint32_t> noted_shared{};
  LaneWriter<NotingMachine> noted(noted_shared, slots.data(), side.data(), shape);
  const std::string text(kLanePayload, 'x');
  for (std::size_t size = 1; size <= kLanePayload; ++size) {
    NotingMachine::written.clear();
    noted.put_and_publish(0, bytes(text).first(size));
    auto& written = NotingMachine::written;
    const auto is_first = [](std::size_t at) { return at % kLaneSlot < kCacheLine; };
    EXPECT_TRUE(std::ranges::is_partitioned(written, std::not_fn(is_first))) << size;
    EXPECT_EQ(std::ranges::count_if(written, is_first),
              2 + (std::min<std::size_t>(size, 48) + 7) / 8)
        << size;
    EXPECT_EQ(written.back() % kLaneSlot, 0U) << "the header is the last of all";
    noted_shared.head.publish(noted.position(), std::memory_order_relaxed);  // A reader keeps up.
    noted.look_again();
  }
}

}  // namespace
}  // namespace comch::shm
