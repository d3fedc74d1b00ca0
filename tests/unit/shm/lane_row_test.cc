// Rows of a Lane: messages of one length that lie in one line each, and only one of which says what
// it is. lane_test.cc has the rest of the lane's contract.
#include "shm/lane_row.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "unit/shm/lane_of.h"

namespace comch::shm {
namespace {

using Plain = LaneReader<>::Plain;

template <class Position>
struct RowLane : LaneOf<Position> {
  using Lane = LaneOf<Position>;
  using Lane::kSlots, Lane::look, Lane::reader, Lane::record, Lane::writer;
  RowLane() : Lane(true, 8) {}

  // As many of these as go into one row; their indexes begin at `index`.
  std::size_t send_row(const std::vector<std::string>& texts, std::uint16_t index = 0) {
    const auto text = [&](std::size_t n) { return Lane::bytes(texts[n]); };
    return typename Lane::Writer::Walk(writer).put_alike(index, texts.size(), text);
  }
  // Takes everything there is, and says so; how many messages.
  std::size_t take_all() {
    std::size_t taken = 0;
    for (; look() == Look::kMessage; ++taken) reader.pop(record);
    static_cast<void>(reader.flush());
    writer.look_again();
    return taken;
  }
};

struct LaneRowTest : testing::Test, RowLane<std::uint32_t> {
  // The first lap is never in rows.
  LaneRowTest() {
    for (std::uint32_t n = 0; n < kSlots; ++n) send("not in a row");
    EXPECT_EQ(take_all(), kSlots);
  }
  Plain find() {
    std::uint16_t index = 0;
    std::uint64_t length = 0;
    return LaneReader<>::Walk(reader).look(index, length);
  }
  static std::string next_of(LaneReader<>::Row& row) {
    std::string text(row.length(), '?');
    row.copy(reinterpret_cast<std::byte*>(text.data()));
    EXPECT_EQ(std::memcmp(text.data(), row.data(), text.size()), 0);
    row.pass();
    return text;
  }
};

TEST_F(LaneRowTest, MessagesOfOneLengthArriveWithIndexesInTurn) {
  for (std::size_t length = 1; length <= kRowPayload; ++length) {
    const std::string one(length, 'a');
    const std::string two(length, 'b');
    ASSERT_EQ(send_row({one, two}, 7), 2U);
    ASSERT_EQ(find(), Plain::kNothing) << "not published";
    writer.publish();
    ASSERT_EQ(find(), Plain::kRow);
    LaneReader<>::Row row(reader);
    ASSERT_EQ(row.index(), 7U);
    ASSERT_EQ(next_of(row), one);
    ASSERT_EQ(row.index(), 0U) << "as many as the shape says";
    ASSERT_EQ(next_of(row), two);
    ASSERT_EQ(row.left(), 0U);
    ASSERT_EQ(find(), Plain::kNothing);
    ASSERT_NE(writer.room(), 0U) << "rows give room back";
  }
}

TEST_F(LaneRowTest, EndsWhereAMessageIsOfAnotherLength) {
  EXPECT_EQ(send_row({"same", "size", "other size", "same"}), 2U);
  EXPECT_EQ(send_row({"other size", "same"}), 1U) << "one by itself";
  writer.publish();
  ASSERT_EQ(find(), Plain::kRow);
  LaneReader<>::Row row(reader);
  EXPECT_EQ(next_of(row), "same");
  EXPECT_EQ(next_of(row), "size");
  EXPECT_EQ(row.left(), 0U);
  EXPECT_EQ(find(), Plain::kInline);
}

TEST_F(LaneRowTest, LongerMessagesAreInNone) {
  const std::string longer(kRowPayload + 1, 'x');
  EXPECT_EQ(send_row({longer, longer}), 1U);
  writer.publish();
  EXPECT_EQ(find(), Plain::kInline);
}

TEST_F(LaneRowTest, IsLeftInTheMiddleAndGoneOnWith) {
  ASSERT_EQ(send_row({"one", "two", "tre", "for"}, 1), 4U);
  writer.publish();
  ASSERT_EQ(find(), Plain::kRow);
  {
    LaneReader<>::Row row(reader);
    EXPECT_EQ(next_of(row), "one");
  }
  EXPECT_TRUE(reader.ready());
  ASSERT_EQ(look(), Look::kMessage);
  EXPECT_EQ(record.index, 2U);
  EXPECT_EQ(record.length, 3U);
  EXPECT_EQ(record.immediate, 0U);
  std::string two(3, '?');
  reader.copy_data(reinterpret_cast<std::byte*>(two.data()), record);
  EXPECT_EQ(two, "two");
  reader.pop(record);
  ASSERT_EQ(find(), Plain::kRow);
  LaneReader<>::Row row(reader);
  EXPECT_EQ(row.index(), 3U);
  EXPECT_EQ(next_of(row), "tre");
  EXPECT_EQ(next_of(row), "for");
  EXPECT_FALSE(reader.ready());
}

TEST_F(LaneRowTest, ItsMessagesAreKeptOneByOne) {
  ASSERT_EQ(send_row({"one", "two", "tre", "for"}), 4U);
  writer.publish();
  ASSERT_EQ(find(), Plain::kRow);
  const char* first = nullptr;
  {
    LaneReader<>::Row row(reader);
    first = reinterpret_cast<const char*>(row.data());
    while (row.left() != 0) row.keep();
  }
  EXPECT_EQ(reader.kept(), 4U);
  EXPECT_FALSE(reader.flush());
  reader.release(3);
  EXPECT_TRUE(reader.flush());
  EXPECT_EQ(writer.room(), 3U);
  EXPECT_EQ(std::string_view(first + std::size_t{3} * kLaneSlot, 3), "for");
}

TEST(LaneRow, GivesRoomBackByEighthsOfTheLaneWhileItIsRead) {
  constexpr std::uint32_t kMany = 32;
  const LaneShape shape{.slots = kMany, .indexes = kMany, .head_credit = true};
  LaneShared<FastMachine, std::uint32_t> shared{};
  alignas(kCacheLine) std::array<std::byte, kMany * kLaneSlot> slots{};
  LaneWriter<> writer(shared, slots.data(), nullptr, shape);
  LaneReader<> reader(shared, slots.data(), nullptr, shape);
  const auto send = [&](std::uint32_t count) {
    const std::string text(8, 'x');
    const auto data = [&](std::size_t) { return std::as_bytes(std::span(text)); };
    std::size_t sent = 0;
    while (sent < count) sent += LaneWriter<>::Walk(writer).put_alike(0, count - sent, data);
    writer.publish();
  };
  send(kMany);
  LaneRecord record;
  while (reader.look(record) == Look::kMessage) reader.pop(record);
  writer.look_again();
  ASSERT_EQ(writer.room(), kMany);

  send(kMany);
  std::uint16_t index = 0;
  std::uint64_t length = 0;
  ASSERT_EQ(LaneReader<>::Walk(reader).look(index, length), Plain::kRow);
  {
    LaneReader<>::Row row(reader);
    ASSERT_EQ(row.left(), kMany);
    for (std::uint32_t passed = 1; passed <= kMany - 4; ++passed) {
      row.pass();
      writer.look_again();
      ASSERT_EQ(writer.room(), passed / 4 * 4) << passed;
    }
    for (std::uint32_t passed = 0; passed < 4; ++passed) row.pass_quietly();
  }
  writer.look_again();
  EXPECT_EQ(writer.room(), kMany) << "what was passed quietly counts at the end";
}

TEST_F(LaneRowTest, ThereIsNoneInTheFirstLapOfEachHalfOfTheSequences) {
  RowLane<std::uint8_t> lane;
  for (std::uint32_t n = 0; n < 3 * 256;) {
    const std::size_t sent = lane.send_row({"a", "b"});
    const std::uint32_t in_half = n % 128;
    ASSERT_EQ(sent, in_half < kSlots || in_half == 127 ? 1U : 2U) << "from message " << n;
    lane.writer.publish();
    ASSERT_EQ(lane.take_all(), sent) << "from message " << n;
    n += static_cast<std::uint32_t>(sent);
  }
}

// As many messages as there are sequences, so that those of the first lap have their turn again;
// all others in rows that begin in one slot.
TEST_F(LaneRowTest, WhatAnEarlierLapHasLeftInItsSlotsIsNoMessage) {
  RowLane<std::uint8_t> lane;
  std::uint32_t sent = 0;
  for (; sent < kSlots; ++sent) {
    lane.send("x");
    ASSERT_EQ(lane.take_all(), 1U);
  }
  while (sent < 256) {
    std::size_t put = 0;
    while (put < kSlots) put += lane.send_row(std::vector<std::string>(kSlots - put, "x"));
    lane.writer.publish();
    ASSERT_EQ(lane.take_all(), kSlots) << "from message " << sent;
    sent += kSlots;
  }
  for (std::uint32_t n = 0; n < kSlots; ++n) {
    lane.send("x");
    ASSERT_EQ(lane.take_all(), 1U) << "from message " << sent + n;
  }
}

}  // namespace
}  // namespace comch::shm
