// LaneRecord: what is written is what is read; and a record that is not whole is not there.
#include "transport/rdma/lane_record.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "support/bytes.h"
#include "unit/wire/format_example.h"

namespace comch::transport::rdma {
namespace {

using test::bytes;

constexpr std::uint32_t kSlot = 384;

struct RdmaLaneRecordTest : testing::Test {
  std::uint32_t write(std::uint32_t position, std::string_view immediate, std::string_view data,
                      std::uint16_t index = 7) {
    const LaneRecord what{.index = index,
                          .kind = LaneKind::kInline,
                          .producer = 9,
                          .length = data.size(),
                          .immediate = static_cast<std::uint32_t>(immediate.size())};
    return write_record(slot.data(), position, what, bytes(immediate), bytes(data));
  }
  bool read(std::uint32_t position) { return read_record(slot.data(), kSlot, position, record); }
  std::string_view text(std::size_t offset, std::size_t size) const {
    return {reinterpret_cast<const char*>(slot.data()) + offset, size};
  }
  alignas(64) std::array<std::byte, kSlot> slot{};
  LaneRecord record;
};

TEST_F(RdmaLaneRecordTest, ReadsWhatWasWrittenOfEveryLength) {
  for (std::size_t immediate = 0; immediate <= 256; immediate += 5) {
    for (std::size_t data = 0; data <= 96; ++data) {
      const std::string imm(immediate, 'i');
      const std::string payload(data, 'd');
      const std::uint32_t size = write(3, imm, payload);
      ASSERT_EQ(size, kRecordHeader + padded(immediate) + padded(data));
      ASSERT_TRUE(read(3));
      EXPECT_EQ(record.index, 7);
      EXPECT_EQ(record.producer, 9U);
      EXPECT_EQ(record.length, data);
      EXPECT_EQ(record.immediate, immediate);
      EXPECT_EQ(text(kRecordHeader, immediate), imm);
      EXPECT_EQ(text(kRecordHeader + padded(immediate), data), payload);
    }
  }
}

TEST_F(RdmaLaneRecordTest, ARecordOfAnotherPositionIsNotThere) {
  write(3, "", "hello");
  EXPECT_FALSE(read(2));
  EXPECT_FALSE(read(4));
  EXPECT_FALSE(read(3 + LaneShape::of(4, 0).slots)) << "the lap before";
}

// In whichever order a device writes the words: the one missing leaves a record that is none.
TEST_F(RdmaLaneRecordTest, ARecordThatLacksAnyWordOrHasAnOldOneIsNotThere) {
  write(11, "old immediate", "old data of the slot", 6);
  const auto old = slot;
  const std::uint32_t size = write(3, "immediate", "data of twenty bytes");
  const auto whole = slot;
  for (std::size_t at = 0; at < size; at += 8) {
    slot = whole;
    std::copy_n(old.begin() + static_cast<std::ptrdiff_t>(at), 8,
                slot.begin() + static_cast<std::ptrdiff_t>(at));
    EXPECT_FALSE(read(3)) << "word " << at / 8;
  }
  slot = whole;
  EXPECT_TRUE(read(3));
}

TEST_F(RdmaLaneRecordTest, ARecordOfWhichOnlyTheFirstBytesHaveComeIsNotThere) {
  const std::uint32_t size = write(3, "immediate", "data of twenty bytes");
  const auto whole = slot;
  for (std::size_t bytes = 0; bytes < size; ++bytes) {
    slot.fill(std::byte{0});
    std::copy_n(whole.begin(), bytes, slot.begin());
    // The last bytes of padding are zero either way.
    if (slot == whole) continue;
    EXPECT_FALSE(read(3)) << bytes;
  }
}

TEST_F(RdmaLaneRecordTest, ALengthBeyondTheSlotIsNotFollowed) {
  write(3, "", "hello");
  const std::uint64_t huge = kMaxLength;
  std::memcpy(slot.data() + 16, &huge, sizeof huge);
  EXPECT_FALSE(read(3));
}

// The example of FORMAT.md.
TEST_F(RdmaLaneRecordTest, IsWhatFormatMdSays) {
  const std::vector<std::byte> example = test::documented("lane record");
  ASSERT_EQ(write(5, "hi", "abc"), example.size());
  EXPECT_TRUE(std::ranges::equal(example, std::span(slot).first(example.size())));
}

TEST(RdmaLaneShapeTest, HasRoomForALineOfDataBesideTheMostImmediateData) {
  for (const std::uint32_t immediate : {0U, 1U, 32U, 100U, 256U}) {
    const LaneShape shape = LaneShape::of(4, immediate);
    EXPECT_TRUE(shape.holds(64, immediate)) << immediate;
    EXPECT_FALSE(shape.holds(shape.slot_size, 0));
    EXPECT_EQ(shape.slot_size % 64, 0U);
  }
  EXPECT_EQ(LaneShape::of(1, 0).slots, 2U);
  EXPECT_EQ(LaneShape::of(5, 0).slots, 8U);
}

}  // namespace
}  // namespace comch::transport::rdma
