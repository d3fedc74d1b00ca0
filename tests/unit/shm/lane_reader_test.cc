// The reader of a Lane: walks over what is plain, and messages that are kept. lane_test.cc has the
// rest of its contract.
#include "shm/lane_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/shm/lane_of.h"

namespace comch::shm {
namespace {

using Plain = LaneReader<>::Plain;

struct LaneReaderTest : testing::Test, LaneOf<std::uint32_t> {
  LaneReaderTest() : LaneOf(true) {}

  // Keeps what is there; where it lies.
  std::vector<std::string_view> keep_all() {
    std::vector<std::string_view> kept;
    LaneReader<>::Walk walk(reader);
    std::uint16_t index = 0;
    std::uint64_t length = 0;
    while (walk.look(index, length) == Plain::kInline) {
      kept.emplace_back(reinterpret_cast<const char*>(walk.data()), length);
      walk.keep();
    }
    return kept;
  }
};

TEST_F(LaneReaderTest, DataAloneIsPlainWhateverItsLength) {
  const std::string text(kLanePayload, 'x');
  std::uint16_t index = 0;
  std::uint64_t length = 0;
  EXPECT_EQ(LaneReader<>::Walk(reader).look(index, length), Plain::kNothing);
  for (std::size_t size = 1; size <= kLanePayload; ++size) {
    writer.put_inline(5, bytes(text).first(size), {});
    writer.publish();
    LaneReader<>::Walk walk(reader);
    ASSERT_EQ(walk.look(index, length), Plain::kInline);
    ASSERT_EQ(index, 5U);
    std::string got(length, '?');
    walk.copy(reinterpret_cast<std::byte*>(got.data()), length);
    ASSERT_EQ(got, text.substr(0, size));
    walk.pass();
    static_cast<void>(reader.flush());
    ASSERT_NE(writer.room(), 0U);
  }
  writer.put_direct(6, kMaxLaneLength, {});
  writer.publish();
  EXPECT_EQ(LaneReader<>::Walk(reader).look(index, length), Plain::kDirect);
  EXPECT_EQ(length, kMaxLaneLength);
}

TEST_F(LaneReaderTest, WhatIsMoreThanDataIsNotPlain) {
  std::uint16_t index = 0;
  std::uint64_t length = 0;
  writer.put_inline(1, bytes("data"), bytes("and more"));
  writer.put_direct(1, 10, bytes("and more"));
  writer.put_direct(1, 0, {});
  writer.put_staged(1, 100, {.offset = 0, .length = 60}, {});
  writer.publish();
  for (int n = 0; n < 4; ++n) {
    ASSERT_EQ(LaneReader<>::Walk(reader).look(index, length), Plain::kOther) << n;
    ASSERT_EQ(look(), Look::kMessage);
    reader.pop(record);
  }
  EXPECT_EQ(LaneReader<>::Walk(reader).look(index, length), Plain::kOther)
      << "the rest of a staged message";
}

TEST_F(LaneReaderTest, AKeptSlotIsNotTheWritersUntilItIsReleased) {
  for (const char* text : {"a", "b", "c", "d"}) send(text);
  const std::vector<std::string_view> kept = keep_all();
  ASSERT_EQ(kept.size(), 4U);
  EXPECT_EQ(reader.kept(), 4U);
  EXPECT_FALSE(reader.flush());
  EXPECT_EQ(writer.room(), 0U);
  reader.release(2);
  EXPECT_TRUE(reader.flush());
  EXPECT_EQ(writer.room(), 2U);
  send("e");
  send("f");
  EXPECT_EQ(kept[0], "e") << "released, and written again";
  EXPECT_EQ(kept[2], "c");
  EXPECT_EQ(kept[3], "d");
}

TEST_F(LaneReaderTest, WhatIsNotPlainIsKeptAndSeenInPlaceToo) {
  const std::string longest(256, 'i');
  writer.put_inline(0, bytes("data"), bytes("and more"));
  writer.put_immediate(0, bytes(longest));
  writer.publish();
  const auto text = [](const std::byte* at, std::uint64_t size) {
    return std::string_view(reinterpret_cast<const char*>(at), size);
  };
  ASSERT_EQ(look(), Look::kMessage);
  EXPECT_EQ(text(reader.data_of(record), record.length), "data");
  EXPECT_EQ(text(reader.immediate_of(record), record.immediate), "and more");
  reader.keep(record);
  ASSERT_EQ(look(), Look::kMessage);
  EXPECT_EQ(text(reader.immediate_of(record), record.immediate), longest) << "in the side area";
  reader.keep(record);
  EXPECT_FALSE(reader.flush());
  reader.release(2);
  EXPECT_TRUE(reader.flush());
  writer.look_again();
  EXPECT_EQ(writer.room(), kSlots);
}

TEST_F(LaneReaderTest, WhatIsPublishedAtOnceIsPlain) {
  const std::string text(kLanePayload, 'x');
  for (std::size_t size = 1; size <= kLanePayload; ++size) {
    writer.put_and_publish(9, bytes(text).first(size));
    LaneReader<>::Walk walk(reader);
    std::uint16_t index = 0;
    std::uint64_t length = 0;
    ASSERT_EQ(walk.look(index, length), Plain::kInline);
    EXPECT_EQ(index, 9U);
    std::string got(length, '?');
    walk.copy(reinterpret_cast<std::byte*>(got.data()), length);
    ASSERT_EQ(got, text.substr(0, size));
    walk.pass();
    ASSERT_NE(writer.room(), 0U);
  }
  writer.put_direct_and_publish(8, kMaxLaneLength);
  std::uint16_t index = 0;
  std::uint64_t length = 0;
  EXPECT_EQ(LaneReader<>::Walk(reader).look(index, length), Plain::kDirect);
  EXPECT_EQ(index, 8U);
  EXPECT_EQ(length, kMaxLaneLength);
}

TEST_F(LaneReaderTest, AWalkThatPassesGivesRoomBack) {
  for (std::uint64_t n = 0; n < 100; ++n) {
    send("again and again");
    LaneReader<>::Walk walk(reader);
    std::uint16_t index = 0;
    std::uint64_t length = 0;
    ASSERT_EQ(walk.look(index, length), Plain::kInline) << n;
    walk.pass();
    ASSERT_EQ(walk.look(index, length), Plain::kNothing) << n;
    ASSERT_NE(writer.room(), 0U) << "told every eighth, of four";
  }
}

}  // namespace
}  // namespace comch::shm
