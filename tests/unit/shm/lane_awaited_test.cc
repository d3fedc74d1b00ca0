// What is awaited of a Lane: one message whose slot, kind and buffer are known ahead.
#include "shm/lane_awaited.h"

#include <gtest/gtest.h>

#include <string>

#include "unit/shm/lane_of.h"

namespace comch::shm {
namespace {

template <class Position>
struct AwaitingLane : LaneOf<Position> {
  using Reader = LaneReader<FastMachine, Position>;
  using Awaited = typename Reader::Awaited;
  using Sight = typename Awaited::Sight;
  using Plain = typename Reader::Plain;

  explicit AwaitingLane(bool head_credit = false) : LaneOf<Position>(head_credit, 8) {}

  void send_to(std::uint16_t index, std::string_view text) {
    typename LaneOf<Position>::Writer::Walk(this->writer).put_inline(index, this->bytes(text));
    this->writer.publish();
  }
  // By a walk, as what comes first is.
  void take_any() {
    std::uint16_t index = 0;
    std::uint64_t length = 0;
    {
      typename Reader::Walk walk(this->reader);
      ASSERT_EQ(walk.look(index, length), Plain::kInline);
      walk.pass();
    }
    this->reader.await_next();
  }
  Sight see() {
    Awaited awaited(this->reader);
    EXPECT_TRUE(awaited.is_possible());
    return awaited.look();
  }
  std::string take() {
    Awaited awaited(this->reader);
    EXPECT_TRUE(awaited.is_possible());
    if (awaited.look() != Sight::kThis) return "another one";
    std::string text(awaited.length(), '?');
    awaited.copy(reinterpret_cast<std::byte*>(text.data()), text.size());
    awaited.pass();
    return text;
  }
};

struct LaneAwaitedTest : testing::Test, AwaitingLane<std::uint32_t> {
  // Something of buffer 5 was there.
  void begin() {
    send_to(5, "first");
    take_any();
  }
};

TEST_F(LaneAwaitedTest, NothingIsAwaitedBeforeSomethingHasCome) {
  EXPECT_FALSE(Awaited(reader).is_possible());
  begin();
  EXPECT_TRUE(Awaited(reader).is_possible());
}

TEST_F(LaneAwaitedTest, IsForTheBufferBehindThatOfTheLastOne) {
  begin();
  EXPECT_EQ(Awaited(reader).index(), 6U);
  send_to(6, "a");
  EXPECT_EQ(take(), "a");
  EXPECT_EQ(Awaited(reader).index(), 7U);
  send_to(7, "b");
  EXPECT_EQ(take(), "b");
  EXPECT_EQ(Awaited(reader).index(), 0U) << "there are eight";
}

TEST_F(LaneAwaitedTest, IsSeenWhenItHasCome) {
  begin();
  EXPECT_EQ(see(), Sight::kNothing);
  EXPECT_TRUE(reader.waited());
  send_to(6, std::string(kLanePayload, 'x'));
  EXPECT_EQ(see(), Sight::kThis);
  EXPECT_EQ(take(), std::string(kLanePayload, 'x'));
  EXPECT_EQ(see(), Sight::kNothing);
}

TEST_F(LaneAwaitedTest, AnyOtherIsNotTakenForIt) {
  begin();
  send_to(2, "of another buffer");
  EXPECT_EQ(see(), Sight::kOther);
  take_any();
  EXPECT_EQ(Awaited(reader).index(), 3U) << "and is what is guessed by";
  writer.put_direct(3, 10, {});
  writer.publish();
  EXPECT_EQ(see(), Sight::kOther);
  ASSERT_EQ(look(), Look::kMessage);
  reader.pop(record);
  reader.await_next();
  writer.put_immediate(4, bytes("immediate"));
  writer.publish();
  EXPECT_EQ(see(), Sight::kOther);
}

TEST_F(LaneAwaitedTest, OneWithImmediateDataHasALengthThatIsNone) {
  begin();
  writer.put_inline(6, bytes("data"), bytes("more"));
  writer.publish();
  ASSERT_EQ(see(), Sight::kThis);
  EXPECT_GT(Awaited(reader).length(), kLanePayload);
  ASSERT_EQ(look(), Look::kMessage) << "it is still there";
  EXPECT_EQ(data(), "data");
  EXPECT_EQ(immediate(), "more");
}

TEST_F(LaneAwaitedTest, WhatALiarSaysIsTheCallersToCheckByItsLength) {
  begin();
  lie(1, 2 | std::uint64_t{6} << 32U | std::uint64_t{2} << 48U, kLanePayload + 1);
  ASSERT_EQ(see(), Sight::kThis);
  EXPECT_EQ(Awaited(reader).length(), kLanePayload + 1);
  EXPECT_EQ(look(), Look::kBroken);
  reader.await_next();
  EXPECT_FALSE(Awaited(reader).is_possible());
}

TEST_F(LaneAwaitedTest, NothingIsAwaitedAmidAStagedMessage) {
  begin();
  writer.put_staged(6, 100, {.offset = 0, .length = 60}, {});
  writer.publish();
  ASSERT_EQ(look(), Look::kMessage);
  reader.pop(record);
  reader.await_next();
  EXPECT_FALSE(Awaited(reader).is_possible());
  writer.put_staged_next(6, {.offset = 60, .length = 40});
  writer.publish();
  ASSERT_EQ(look(), Look::kMessage);
  reader.pop(record);
  reader.await_next();
  EXPECT_TRUE(Awaited(reader).is_possible());
}

TEST_F(LaneAwaitedTest, NothingIsAwaitedAmidARow) {
  begin();
  // The first lap is never in rows.
  for (std::uint16_t n = 6; n < 9; ++n) {
    send_to(n % 8, "a");
    ASSERT_EQ(take(), "a");
  }
  const std::string text(8, 'r');
  Writer::Walk(writer).put_alike(1, 2, [&](std::size_t) { return bytes(text); });
  writer.publish();
  EXPECT_EQ(see(), Sight::kOther);
  ASSERT_EQ(look(), Look::kMessage);
  reader.pop(record);
  reader.await_next();
  EXPECT_FALSE(Awaited(reader).is_possible());
  ASSERT_EQ(look(), Look::kMessage);
  reader.pop(record);
  reader.await_next();
  EXPECT_TRUE(Awaited(reader).is_possible());
}

TEST(LaneAwaited, NothingIsAwaitedWhereWhatWasReadHasToBeSaid) {
  AwaitingLane<std::uint32_t> lane(true);
  lane.send_to(0, "a");
  lane.take_any();
  EXPECT_FALSE(AwaitingLane<std::uint32_t>::Awaited(lane.reader).is_possible());
}

TEST(LaneAwaited, NumbersMayWrapAround) {
  AwaitingLane<std::uint8_t> lane;
  lane.send_to(0, "first");
  lane.take_any();
  for (int n = 1; n < 1000; ++n) {
    lane.send_to(static_cast<std::uint16_t>(n % 8), std::to_string(n));
    ASSERT_EQ(lane.take(), std::to_string(n));
    ASSERT_EQ(lane.see(), AwaitingLane<std::uint8_t>::Sight::kNothing) << "of the lap before";
  }
}

}  // namespace
}  // namespace comch::shm
