// The walk over a lane's messages that are plain: which are, and what it says of them.
#include "shm/lane_walk.h"

#include <gtest/gtest.h>

#include <string>

#include "unit/shm/lane_of.h"

namespace comch::shm {
namespace {

using Plain = LaneReader<>::Plain;

struct LaneWalkTest : testing::Test, LaneOf<std::uint32_t> {
  LaneWalkTest() : LaneOf(true) {}
};

TEST_F(LaneWalkTest, DataAloneIsPlainWhateverItsLength) {
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

TEST_F(LaneWalkTest, WhatIsMoreThanDataIsNotPlain) {
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

TEST_F(LaneWalkTest, WhatIsPublishedAtOnceIsPlain) {
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

TEST_F(LaneWalkTest, AWalkThatPassesGivesRoomBack) {
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
