// Intake: messages of lanes that lie, through the port: no byte is written outside of a posted
// room, no buffer is used twice, and the liar's process loses this consumer.
#include "unit/transport/shm/consumer_port_fixture.h"

namespace comch::transport::shm {
namespace {

struct IntakeLiesTest : ConsumerPortTest {};

TEST_F(IntakeLiesTest, RefusesABufferThatIsNotPosted) {
  PeerLane from = lane();
  from.writer->put_immediate(2, kBytes);
  from.writer->publish();
  expect_lie();
}

TEST_F(IntakeLiesTest, RefusesABufferThatThereIsNot) {
  PeerLane from = lane();
  from.writer->put_immediate(0xffff, kBytes);
  from.writer->publish();
  expect_lie();
}

TEST_F(IntakeLiesTest, RefusesABufferThatWasUsedUp) {
  PeerLane from = lane();
  from.writer->put_immediate(0, kBytes);
  from.writer->put_immediate(0, kBytes);
  from.writer->publish();
  poll();
  EXPECT_EQ(arrivals.size(), 1U) << "the first one counts";
  poll();
  EXPECT_EQ(owner.lost, Errc::connection_reset);
  EXPECT_EQ(arrivals.size(), 1U);
}

TEST_F(IntakeLiesTest, RefusesARowWhereItComesToABufferThatIsNotPosted) {
  const PeerLane from = lane();
  from.write_row(1, 2, 64);
  poll();
  ASSERT_EQ(arrivals.size(), 1U) << "the first one counts";
  EXPECT_EQ(arrivals[0].index, 1);
  poll();
  EXPECT_EQ(owner.lost, Errc::connection_reset);
  expect_nothing_outside();
}

TEST_F(IntakeLiesTest, RefusesARowOfMoreMessagesThanTheLaneHasSlots) {
  const PeerLane from = lane();
  from.write_row(0, from.layout.shape.slots + 1, 8);
  expect_lie();
}

TEST_F(IntakeLiesTest, RefusesARowOfMessagesThatLeaveTheirSlots) {
  const PeerLane from = lane();
  from.write_row(0, 1, 65);
  expect_lie();
}

TEST_F(IntakeLiesTest, RefusesMoreThanTheRoom) {
  PeerLane from = lane();
  from.writer->put_inline(1, std::array<std::byte, kSmall + 1>{}, {});
  from.writer->publish();
  expect_lie();
}

TEST_F(IntakeLiesTest, RefusesMoreThanTheRoomThatIsThereAlready) {
  PeerLane from = lane();
  from.writer->put_direct(1, kSmall + 1, {});
  from.writer->publish();
  expect_lie();
}

TEST_F(IntakeLiesTest, RefusesMoreImmediateDataThanItTakes) {
  PeerLane from = lane();
  from.writer->put_immediate(0, kBytes);
  from.word(0, 1) = std::uint64_t{kImmediate + 1} << 48U;
  from.writer->publish();
  expect_lie();
}

TEST_F(IntakeLiesTest, RefusesAKindThatThereIsNot) {
  PeerLane from = lane();
  from.word(0, 0) = 1 | std::uint64_t{8} << 48U;
  expect_lie();
}

TEST_F(IntakeLiesTest, RefusesAChunkOutsideOfTheBounceArea) {
  PeerLane from = lane(1, {.bounce = 2 * kPage});
  from.writer->put_staged(0, 3 * kPage, {kPage, 2 * kPage}, {});
  from.writer->publish();
  expect_lie();
}

TEST_F(IntakeLiesTest, RefusesAStagedMessageLongerThanTheRoom) {
  PeerLane from = lane(1, {.bounce = 2 * kPage});
  from.writer->put_staged(1, kSmall + 1, {0, kSmall}, {});
  from.writer->publish();
  expect_lie();
}

TEST_F(IntakeLiesTest, RefusesAStagedMessageInALaneWithoutABounceArea) {
  PeerLane from = lane();
  from.writer->put_staged(0, kPage, {0, kPage}, {});
  from.writer->publish();
  expect_lie();
}

TEST_F(IntakeLiesTest, RefusesAJobInAMapThatItWasNotShown) {
  PeerLane from = lane();
  std::ignore = from.writer->put_job(0, 3, {0, kRoom}, comch::shm::kChunkShiftMin, {});
  from.writer->publish();
  expect_lie();
}

TEST_F(IntakeLiesTest, RefusesAJobOutsideOfItsMap) {
  show_map(3, kRoom);
  PeerLane from = lane();
  std::ignore = from.writer->put_job(0, 3, {1, kRoom}, comch::shm::kChunkShiftMin, {});
  from.writer->publish();
  expect_lie();
}

TEST_F(IntakeLiesTest, RefusesAJobWhoseSumWraps) {
  show_map(3, kRoom);
  PeerLane from = lane();
  std::ignore =
      from.writer->put_job(0, 3, {~std::uint64_t{0}, kRoom}, comch::shm::kChunkShiftMin, {});
  from.writer->publish();
  expect_lie();
}

TEST_F(IntakeLiesTest, RefusesAJobThatCountsWhatNobodyCopied) {
  show_map(3, kRoom);
  PeerLane from = lane();
  std::ignore = from.writer->put_job(0, 3, {0, kRoom}, comch::shm::kChunkShiftMin, {});
  from.word(0, 15) = 1 | std::uint64_t{33} << 32U;
  from.writer->publish();
  expect_lie();
}

// The first half is copied, then the slot says something else; but what was begun was a message
// of 32 chunks, and the small room has none of them.
TEST_F(IntakeLiesTest, RefusesAJobThatTurnsIntoAShorterOne) {
  show_map(3, kRoom);
  PeerLane from = lane();
  std::ignore = from.writer->put_job(0, 3, {0, kRoom}, comch::shm::kChunkShiftMin, {});
  from.writer->publish();
  poll();
  ASSERT_FALSE(owner.lost);
  ASSERT_EQ(from.word(0, 15) >> 32U, 16U) << "not half of it";
  from.word(0, 0) = comch::shm::lane_word(1, 1, comch::shm::LaneKind::kJob);
  from.word(0, 1) = kSmall;
  expect_lie();
}

TEST_F(IntakeLiesTest, RefusesAJobThatMovesInItsMap) {
  show_map(3, kRoom);
  PeerLane from = lane();
  std::ignore = from.writer->put_job(0, 3, {0, kRoom}, comch::shm::kChunkShiftMin, {});
  from.writer->publish();
  poll();
  ASSERT_FALSE(owner.lost);
  from.word(0, 3) = 1;
  expect_lie();
}

TEST_F(IntakeLiesTest, AClosedPortIsNotKeptAwakeByTheLieThatClosedIt) {
  PeerLane from = lane();
  std::ignore = from.writer->put_job(0, 3, {0, kRoom}, comch::shm::kChunkShiftMin, {});
  from.writer->publish();
  EXPECT_TRUE(port->ready());
  expect_lie();
  EXPECT_FALSE(port->ready());
}

// A producer that is stopped in the middle of it shall not keep a processor busy here.
TEST_F(IntakeLiesTest, AJobWhoseRestTheProducerCopiesKeepsNobodyAwake) {
  show_map(3, kRoom);
  PeerLane from = lane();
  std::ignore = from.writer->put_job(0, 3, {0, kRoom}, comch::shm::kChunkShiftMin, {});
  from.word(0, 14) = 1 | std::uint64_t{31} << 32U;  // It has claimed all chunks but one.
  from.writer->publish();
  EXPECT_TRUE(port->ready());
  poll();
  EXPECT_FALSE(port->ready());
  EXPECT_TRUE(arrivals.empty());
  from.word(0, 15) = 1 | std::uint64_t{32} << 32U;
  EXPECT_TRUE(port->ready());
  poll();
  EXPECT_EQ(arrivals.size(), 1U);
  EXPECT_FALSE(port->ready());
}

// One lane begins a long message into a buffer, another uses the buffer up, and it is posted
// again with less room: the rest of the long message has none.
TEST_F(IntakeLiesTest, RefusesTheRestOfAMessageWhoseBufferIsAnother) {
  PeerLane first = lane(1, {.bounce = 2 * kPage});
  PeerLane second = lane(2, {});
  first.writer->put_staged(0, 2 * kPage, {0, kPage}, {});
  first.writer->publish();
  poll();
  second.writer->put_immediate(0, {});
  second.writer->put_immediate(1, {});
  second.writer->publish();
  poll();
  ASSERT_EQ(arrivals.size(), 2U);
  arrivals.clear();
  port->post(0, kRoom, kSmall);
  port->publish();
  first.writer->put_staged_next(0, {kPage, kPage});
  first.writer->publish();
  expect_lie();
}

TEST_F(IntakeLiesTest, RefusesAHandOverInAMapThatItWasNotShown) {
  PeerLane from = lane(1, {.handles = 2});
  from.writer->put_hand_over(0, 3, 0, {0, 1}, {});
  from.writer->publish();
  expect_lie();
}

struct HandOver {
  const char* what;
  std::uint32_t handle;
  std::uint64_t offset;
  std::uint64_t length;
};
struct IntakeHandOverTest : IntakeLiesTest, testing::WithParamInterface<HandOver> {};

TEST_P(IntakeHandOverTest, IsRefused) {
  show_map(3, kPage);
  PeerLane from = lane(1, {.handles = 2});
  from.writer->put_hand_over(0, 3, GetParam().handle, {GetParam().offset, GetParam().length}, {});
  from.writer->publish();
  expect_lie();
}

INSTANTIATE_TEST_SUITE_P(Lies, IntakeHandOverTest,
                         testing::Values(HandOver{"OfNothing", 0, 0, 0},
                                         HandOver{"OutsideOfItsMap", 0, 0, kPage + 1},
                                         HandOver{"BehindItsMap", 0, kPage, 1},
                                         HandOver{"WhoseSumWraps", 0, ~std::uint64_t{0}, 2},
                                         HandOver{"UnderAHandleThatThereIsNot", 2, 0, 1}),
                         [](const auto& tested) { return tested.param.what; });

TEST_F(IntakeLiesTest, RefusesAHandleThatItHoldsAlready) {
  show_map(3, kPage);
  PeerLane from = lane(1, {.handles = 2});
  from.writer->put_hand_over(0, 3, 1, {8, 16}, {});
  from.writer->publish();
  poll();
  ASSERT_EQ(arrivals.size(), 1U);
  EXPECT_EQ(arrivals[0].handed.size(), 16U);
  arrivals.clear();
  from.writer->put_hand_over(1, 3, 1, {8, 16}, {});
  from.writer->publish();
  expect_lie();
}

TEST_F(IntakeLiesTest, GivesEachHandleBackOnce) {
  show_map(3, kPage);
  PeerLane from = lane(1, {.handles = 2});
  from.writer->put_hand_over(0, 3, 1, {8, 16}, {});
  from.writer->publish();
  poll();
  ASSERT_EQ(arrivals.size(), 1U);
  const std::byte* const at = arrivals[0].handed.data();
  EXPECT_FALSE(port->give_back(1, 0, at)) << "not held";
  EXPECT_FALSE(port->give_back(1, 2, at)) << "there is none";
  EXPECT_FALSE(port->give_back(2, 1, at)) << "nobody's";
  EXPECT_FALSE(port->give_back(1, 1, all.data())) << "it lies elsewhere";
  EXPECT_TRUE(port->give_back(1, 1, at));
  EXPECT_FALSE(port->give_back(1, 1, at)) << "given back already";
}

TEST_F(IntakeLiesTest, TheBufferOfAMessageThatItsProducerDoesNotFinishIsPostedAgain) {
  PeerLane from = lane(1, {.bounce = 2 * kPage});
  from.writer->put_staged(0, 2 * kPage, {0, kPage}, {});
  from.writer->publish();
  poll();
  EXPECT_EQ(port->posted(), 2U);
  ASSERT_TRUE(say_packet(line, wire::LaneEnd{1}));
  settle();
  poll();
  EXPECT_FALSE(owner.lost);
  PeerLane next = lane(2, {});
  next.writer->put_direct(0, kRoom, {});
  next.writer->publish();
  poll();
  ASSERT_EQ(arrivals.size(), 1U);
  EXPECT_EQ(arrivals[0].length, kRoom);
}

TEST_F(IntakeLiesTest, WhatALaneStillHoldsIsReadAfterItsEnd) {
  PeerLane from = lane();
  from.writer->put_inline(0, kBytes, {});
  from.writer->put_inline(1, kBytes, {});
  from.writer->publish();
  ASSERT_TRUE(say_packet(line, wire::LaneEnd{1}));
  settle();
  poll();
  EXPECT_EQ(arrivals.size(), 2U);
  poll();
  EXPECT_FALSE(owner.lost);
  const PeerLane again = lane();  // The id is free.
  EXPECT_FALSE(owner.lost);
}

}  // namespace
}  // namespace comch::transport::shm
