// The reader of a Lane: messages that are kept, and what no correct writer writes. lane_test.cc has
// what both halves promise together.
#include "shm/lane_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "shm/lane_walk.h"
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

struct Lie {
  const char* what;
  LaneKind kind;
  std::uint64_t length, immediate, word2, word3;
};

TEST_F(LaneReaderTest, ARecordThatNoCorrectWriterWritesBreaksTheReaderForGood) {
  // NOLINTBEGIN(clang-analyzer-optin.core.EnumCastOutOfRange): what a peer may write.
  const auto kNoKind = static_cast<LaneKind>(0);
  const auto kUnknown = static_cast<LaneKind>(9);
  // NOLINTEND(clang-analyzer-optin.core.EnumCastOutOfRange)
  for (const Lie& lie : {
           Lie{"no kind", kNoKind, 0, 0, 0, 0},
           {"an unknown kind", kUnknown, 0, 0, 0, 0},
           {"a row of none", LaneKind::kRow, 8, 0, 0, 0},
           {"a row of more than there are slots", LaneKind::kRow, 8, 5, 0, 0},
           {"a row of empty messages", LaneKind::kRow, 0, 2, 0, 0},
           {"a row of messages that are too long for one", LaneKind::kRow, 65, 2, 0, 0},
           {"immediate data with a length", LaneKind::kImmediate, 1, 0, 0, 0},
           {"immediate data above the limit", LaneKind::kImmediate, 0, 257, 0, 0},
           {"inline data above a slot", LaneKind::kInline, 113, 0, 0, 0},
           {"inline data of any length", LaneKind::kInline, kMaxLaneLength, 0, 0, 0},
           {"a chunk behind the bounce area", LaneKind::kStaged, 10, 0, 4096, 1},
           {"a chunk that wraps", LaneKind::kStaged, 10, 0, ~0ULL, 2},
           {"a chunk above the message", LaneKind::kStaged, 10, 0, 0, 11},
           {"an empty chunk", LaneKind::kStaged, 10, 0, 0, 0},
           {"a next chunk without a first", LaneKind::kStagedNext, 1, 0, 0, 1},
           {"an empty job", LaneKind::kJob, 0, 0, std::uint64_t{kChunkShift} << 32U, 0},
           {"a job without chunks", LaneKind::kJob, 9, 0, 0, 0},
           {"a job with chunks beyond counting", LaneKind::kJob, 9, 0, 64ULL << 32U, 0},
       }) {
    LaneOf<std::uint32_t> lane(true);
    lane.lie(0, lane_word(1, 0, lie.kind), lie.length | lie.immediate << 48U, lie.word2, lie.word3);
    EXPECT_EQ(lane.look(), Look::kBroken) << lie.what;
    lane.lie(0, lane_word(1, 0, LaneKind::kImmediate), 0);
    EXPECT_EQ(lane.look(), Look::kBroken) << lie.what << ": too late to take it back";
    EXPECT_TRUE(lane.reader.broken() && lane.reader.ready());
  }
}

TEST_F(LaneReaderTest, WhatInterruptsAStagedMessageBreaksTheReader) {
  for (const Lie& lie : {
           Lie{"another message", LaneKind::kImmediate, 0, 0, 0, 0},
           {"another staged message", LaneKind::kStaged, 10, 0, 0, 10},
           {"more than is left", LaneKind::kStagedNext, 5, 0, 0, 5},
           {"two lengths", LaneKind::kStagedNext, 3, 0, 0, 4},
           {"immediate data again", LaneKind::kStagedNext, 4, 1, 0, 4},
           {"a row", LaneKind::kRow, 8, 2, 0, 0},
       }) {
    LaneOf<std::uint32_t> lane(true);
    lane.lie(0, lane_word(1, 6, LaneKind::kStaged), 10, 0, 6);
    ASSERT_EQ(lane.look(), Look::kMessage);
    lane.reader.pop(lane.record);
    lane.lie(1, lane_word(2, 6, lie.kind), lie.length | lie.immediate << 48U, lie.word2, lie.word3);
    EXPECT_EQ(lane.look(), Look::kBroken) << lie.what;
  }
  lie(0, lane_word(1, 6, LaneKind::kStaged), 10, 0, 6);
  ASSERT_EQ(look(), Look::kMessage);
  reader.pop(record);
  lie(1, lane_word(2, 7, LaneKind::kStagedNext), 4, 0, 4);
  EXPECT_EQ(look(), Look::kBroken) << "another index";
}

}  // namespace
}  // namespace comch::shm
