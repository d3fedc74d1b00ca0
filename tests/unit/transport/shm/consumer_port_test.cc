// ConsumerPort: its life, and what processes with producers may say on its line. A lie costs them
// this consumer and nothing else.
#include "transport/shm/consumer_port.h"

#include <sys/resource.h>

#include "comch/log.h"
#include "unit/os/unclosed.h"
#include "unit/transport/shm/consumer_port_fixture.h"

namespace comch::transport::shm {
namespace {

TEST_F(ConsumerPortTest, AMessageLiesInItsRoomAndUsesItUp) {
  PeerLane from = lane();
  from.writer->put_inline(0, kBytes, kBytes);
  from.writer->publish();
  poll();
  ASSERT_EQ(arrivals.size(), 1U);
  EXPECT_EQ(arrivals[0].index, 0);
  EXPECT_EQ(arrivals[0].producer, 1U);
  EXPECT_EQ(arrivals[0].length, 3U);
  EXPECT_EQ(arrivals[0].immediate.size(), 3U);
  EXPECT_EQ(all[2], std::byte{3});
  EXPECT_EQ(all[3], kUntouched);
  EXPECT_EQ(port->posted(), 1U);
  EXPECT_FALSE(owner.lost);
}

TEST_F(ConsumerPortTest, AllMessagesOfARowArriveAlsoWhenTheyAreAskedForOneByOne) {
  const PeerLane from = lane();
  from.write_row(0, 2, 64);
  for (std::size_t n = 1; n <= 2; ++n) {
    const auto taken =
        port->poll(1, [this](std::size_t, const Arrival& arrival) { arrivals.push_back(arrival); });
    EXPECT_EQ(taken.messages, 1U);
    ASSERT_EQ(arrivals.size(), n);
    EXPECT_EQ(port->has_message(), n == 1);
  }
  EXPECT_EQ(arrivals[0].index, 0);
  EXPECT_EQ(arrivals[1].index, 1);
  EXPECT_EQ(arrivals[1].length, 64U);
  EXPECT_EQ(all[0], std::byte{1});
  EXPECT_EQ(all[kRoom], std::byte{2});
  EXPECT_EQ(port->posted(), 0U);
  EXPECT_FALSE(owner.lost);
  expect_nothing_outside();
}

TEST_F(ConsumerPortTest, HasASignThatIsQuietUntilAMessageComes) {
  EXPECT_FALSE(port->sign()) << "there is no lane";
  PeerLane from = lane();
  for (std::uint16_t n = 0; n < 2; ++n) {
    const Sign sign = port->sign();
    ASSERT_TRUE(sign);
    EXPECT_TRUE(sign.is_quiet());
    from.writer->put_inline(n, kBytes, {});
    EXPECT_TRUE(sign.is_quiet()) << "not published";
    from.writer->publish();
    EXPECT_FALSE(sign.is_quiet());
    EXPECT_FALSE(port->sign()) << "it is to be taken";
    poll();
    ASSERT_EQ(arrivals.size(), std::size_t{n} + 1);
  }
}

TEST_F(ConsumerPortTest, HasASignInTheLapAfterTheFirst) {
  PeerLane from = lane();
  // A post has its slot as its index, and there are twice as many as may be posted.
  const auto index = [](std::uint32_t n) {
    return static_cast<std::uint16_t>(n % (2 * kPortDepth));
  };
  const std::uint32_t lap = from.layout.shape.slots;
  for (std::uint32_t n = 0; n < lap; ++n) {
    from.writer->put_inline(index(n), kBytes, {});
    from.writer->publish();
    poll();
    port->post(0, 0, kRoom);
    port->publish();
  }
  const Sign sign = port->sign();
  ASSERT_TRUE(sign);
  EXPECT_NE(sign.quiet, 0U) << "the lap before";
  EXPECT_TRUE(sign.is_quiet());
  from.writer->put_inline(index(lap), kBytes, {});
  from.writer->publish();
  EXPECT_FALSE(sign.is_quiet());
}

TEST_F(ConsumerPortTest, HasNoSignAmidARow) {
  const PeerLane from = lane();
  from.write_row(0, 2, 8);
  port->poll(1, [this](std::size_t, const Arrival& arrival) { arrivals.push_back(arrival); });
  ASSERT_EQ(arrivals.size(), 1U);
  EXPECT_FALSE(port->sign());
}

TEST_F(ConsumerPortTest, HasNoSignAmidAStagedMessage) {
  PeerLane from = lane(1, {.bounce = kPage});
  from.writer->put_staged(0, 16, {.offset = 0, .length = 8}, {});
  from.writer->publish();
  poll();
  EXPECT_TRUE(arrivals.empty());
  EXPECT_FALSE(port->sign());
  from.writer->put_staged_next(0, {.offset = 8, .length = 8});
  from.writer->publish();
  poll();
  EXPECT_EQ(arrivals.size(), 1U);
  EXPECT_TRUE(port->sign());
}

// Each may be of a mebibyte and more, and all may name one posted buffer.
TEST_F(ConsumerPortTest, OfManyLanesWithLongMessagesFewCopyInOnePoll) {
  constexpr std::uint32_t kLanes = 20;
  std::vector<PeerLane> lanes;
  for (std::uint32_t n = 1; n <= kLanes; ++n) {
    lanes.push_back(lane(n, {.bounce = kPage}));
    lanes.back().writer->put_staged(0, 16, {.offset = 0, .length = 8}, {});
    lanes.back().writer->publish();
  }
  const auto take = [this] { return port->poll(64, [](std::size_t, const auto&) {}).any; };
  std::uint32_t polls = 0;
  while (polls < kLanes && take()) ++polls;
  EXPECT_GE(polls, kLanes / 4) << "they are parts of one call";
  EXPECT_FALSE(take()) << "and each is taken all the same";
}

TEST_F(ConsumerPortTest, HasNoSignBesideASecondLaneOrWithAnEndToDealWith) {
  const PeerLane from = lane();
  EXPECT_TRUE(port->sign());
  const PeerLane second = lane(2, {});
  EXPECT_FALSE(port->sign());
  const int wakes = owner.wakes;
  ASSERT_TRUE(say_packet(line, wire::LaneEnd{.producer = 2}));
  settle();
  EXPECT_GT(owner.wakes, wakes) << "who looks at a sign is told that it may have changed";
  poll();
  EXPECT_TRUE(port->sign()) << "it is swept";
  ASSERT_TRUE(say_packet(line, wire::LaneEnd{.producer = 1}));
  settle();
  EXPECT_FALSE(port->sign());
  poll();
  EXPECT_FALSE(port->sign());
}

TEST_F(ConsumerPortTest, HasNoSignWhenItIsClosed) {
  const PeerLane from = lane();
  EXPECT_TRUE(port->sign());
  port->close();
  EXPECT_FALSE(port->sign());
}

TEST_F(ConsumerPortTest, WhatComesBehindTheEndIsNotTakenAndIsNoLie) {
  std::string said;
  set_log_sink([&](LogLevel, std::string_view text) { said += text; });
  PeerLane known = lane();
  port->close();
  port->take_back([](std::uint16_t) {});
  PeerLane late = lane(2, {});
  for (PeerLane* const from : {&known, &late}) {
    from->writer->put_inline(0, kBytes, {});
    from->writer->publish();
  }
  EXPECT_FALSE(port->has_message());
  poll();
  set_log_sink({});
  EXPECT_TRUE(arrivals.empty());
  EXPECT_EQ(said, "");
}

TEST_F(ConsumerPortTest, RunsFromTheFirstAcceptedOnAndRefusesASecond) {
  ASSERT_TRUE(say_packet(line, wire::Accepted{true}));
  settle();
  EXPECT_EQ(owner.accepted, 1);
  expect_lost_by(wire::Accepted{true});
  EXPECT_EQ(owner.accepted, 1);
}

// --- Lies on the line --------------------------------------------------------------------

TEST_F(ConsumerPortTest, ListensNoMoreWhenTooMuchThatItsPeersUserHasSentDoesNotClose) {
  const test::Unclosed unclosed(hub->peer_uid());
  show_map(3, kPage);
  EXPECT_EQ(owner.lost, Errc::connection_reset);
  EXPECT_EQ(port->maps(), 0U);
}

TEST_F(ConsumerPortTest, RefusesTwoLanesOfOneProducer) {
  const PeerLane first = lane(), second = lane();
  EXPECT_EQ(owner.lost, Errc::connection_reset);
}

TEST_F(ConsumerPortTest, RefusesALaneWithoutItsDescriptors) { expect_lost_by(wire::Lane{}); }

TEST_F(ConsumerPortTest, RefusesALaneOfAnotherSize) {
  const PeerLane from = lane(1, {.more = kPage});
  EXPECT_EQ(owner.lost, Errc::connection_reset);
}

TEST_F(ConsumerPortTest, RefusesALaneThatCanShrink) {
  const PeerLane from = lane(1, {.sealed = false});
  EXPECT_EQ(owner.lost, Errc::connection_reset);
}

TEST_F(ConsumerPortTest, RefusesAMapOfANumberThatItKnows) {
  show_map(3, kPage);
  EXPECT_FALSE(owner.lost);
  show_map(3, kPage);
  EXPECT_EQ(owner.lost, Errc::connection_reset);
}

TEST_F(ConsumerPortTest, RefusesAMapLargerThanItsMemory) {
  const os::Fd memory = os::make_sealed_memfd("comch-test", kPage).value();
  const std::array<int, 1> fds{memory.get()};
  expect_lost_by(wire::Map{.number = 0, .offset = 0, .size = kPage + 1}, fds);
}

TEST_F(ConsumerPortTest, RefusesAMapThatCanShrink) {
  const os::Fd memory = os::make_memory("comch-test", kPage, os::Pages::kOrdinary).value();
  const std::array<int, 1> fds{memory.get()};
  expect_lost_by(wire::Map{.number = 0, .offset = 0, .size = kPage}, fds);
}

TEST_F(ConsumerPortTest, RefusesMapsThatTogetherWouldTakeTheAddressSpace) {
  constexpr std::uint64_t kHalf = Allowance::kAddresses.of_a_peer / 2;
  show_map(0, kHalf);
  show_map(1, kHalf);
  EXPECT_FALSE(owner.lost);
  show_map(2, kPage);
  EXPECT_EQ(owner.lost, Errc::no_memory);
}

TEST_F(ConsumerPortTest, RefusesLanesThatTogetherWouldTakeTheDescriptors) {
  std::vector<std::shared_ptr<const void>> others;
  while (others.size() + 1 < Allowance::descriptors().of_a_peer) {
    others.push_back(hub->allowances().descriptors.take(1));
  }
  const PeerLane last = lane(1, {});
  EXPECT_FALSE(owner.lost);
  const PeerLane more = lane(2, {});
  EXPECT_EQ(owner.lost, Errc::full);
  port.reset();
  EXPECT_TRUE(hub->allowances().descriptors.take(1)) << "what its lanes had is free again";
}

// All that a peer may have but `left`.
std::shared_ptr<const void> take_all_but(std::uint64_t left, Allowance& allowance,
                                         const Allowance::Most& most) {
  return allowance.take(most.of_a_peer - left);
}

TEST_F(ConsumerPortTest, RefusesMapsThatTogetherWouldTakeTheMappings) {
  const auto others = take_all_but(1, hub->allowances().mappings, Allowance::mappings());
  ASSERT_TRUE(others);
  show_map(0, kPage);
  EXPECT_FALSE(owner.lost);
  ASSERT_TRUE(say_packet(line, wire::MapEnd{0}));
  show_map(1, kPage);
  EXPECT_FALSE(owner.lost) << "what the first one had is free again";
  show_map(2, kPage);
  EXPECT_EQ(owner.lost, Errc::full);
}

TEST_F(ConsumerPortTest, RefusesLanesThatTogetherWouldTakeTheMappings) {
  const auto others = take_all_but(1, hub->allowances().mappings, Allowance::mappings());
  ASSERT_TRUE(others);
  const PeerLane last = lane(1, {});
  EXPECT_FALSE(owner.lost);
  const PeerLane more = lane(2, {});
  EXPECT_EQ(owner.lost, Errc::full);
}

TEST_F(ConsumerPortTest, RefusesLanesThatTogetherWouldTakeTheAddressSpace) {
  const PeerLane first = lane(1, {});
  const auto others =
      take_all_but(2 * first.layout.size, hub->allowances().addresses, Allowance::kAddresses);
  ASSERT_TRUE(others);
  const PeerLane last = lane(2, {});
  EXPECT_FALSE(owner.lost);
  const PeerLane more = lane(3, {});
  EXPECT_EQ(owner.lost, Errc::no_memory);
}

// The peer has done nothing wrong but to be many.
TEST_F(ConsumerPortTest, AMessageInAMapThatWasRefusedIsCalledNoLie) {
  PeerLane from = lane(1, {.handles = 2});
  const auto others = take_all_but(1, hub->allowances().mappings, Allowance::mappings());
  ASSERT_TRUE(others) << "but the lane's";
  const os::Fd memory = os::make_sealed_memfd("comch-test", kPage).value();
  const std::array<int, 1> fds{memory.get()};
  for (const std::uint32_t number : {2U, 3U}) {
    ASSERT_TRUE(say_packet(line, wire::Map{.number = number, .offset = 0, .size = kPage}, fds));
  }
  from.writer->put_hand_over(0, 3, 0, {0, 1}, {});
  from.writer->publish();
  std::string said;
  set_log_sink([&](LogLevel, std::string_view text) { said += text; });
  poll();
  set_log_sink({});
  EXPECT_EQ(owner.lost, Errc::full);
  EXPECT_NE(said.find("vm.max_map_count"), std::string::npos) << said;
  EXPECT_EQ(said.find("nonsense"), std::string::npos) << said;
  EXPECT_EQ(said.find("cut off"), said.rfind("cut off")) << "once: " << said;
}

TEST_F(ConsumerPortTest, RefusesAMapWithoutMemory) {
  expect_lost_by(wire::Map{.number = 0, .offset = 0, .size = kPage});
}

TEST_F(ConsumerPortTest, RefusesWhatBelongsOnTheConnectionsSocket) {
  expect_lost_by(wire::ConsumerEnd{3});
}

TEST_F(ConsumerPortTest, RefusesPacketsOfTheHandshake) { expect_lost_by(wire::Goodbye{}); }

TEST_F(ConsumerPortTest, RefusesDescriptorsWhereNoneBelong) {
  const std::array<int, 1> fds{line.get()};
  expect_lost_by(wire::Doorbell{}, fds);
}

TEST_F(ConsumerPortTest, RefusesBytesThatAreNoPacket) {
  ASSERT_TRUE(test::say_bytes(line, "hello"));
  settle();
  EXPECT_EQ(owner.lost, Errc::connection_reset);
}

TEST_F(ConsumerPortTest, TheEndOfItsLineIsTheLossOfItsPeer) {
  line.reset();
  settle();
  EXPECT_EQ(owner.lost, Errc::connection_reset);
}

// That is this process's trouble: the peer is neither gone nor a liar.
TEST_F(ConsumerPortTest, ALaneThatNoDescriptorIsLeftForIsRefusedForThat) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const PeerLane from(line, 1, {});
  const rlimit none{.rlim_cur = 3, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  settle();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(owner.lost, Errc::full);
}

TEST_F(ConsumerPortTest, ADoorbellWakesItAndTheEndOfNobodysLaneDoesNoHarm) {
  ASSERT_TRUE(say_packet(line, wire::Doorbell{}));
  ASSERT_TRUE(say_packet(line, wire::LaneEnd{77}));
  settle();
  EXPECT_EQ(port->wakes_received(), 1U);
  EXPECT_GE(owner.wakes, 1);
  EXPECT_FALSE(owner.lost);
}

TEST_F(ConsumerPortTest, ClosedItStillHandsOutWhatHasArrivedAndThenGivesTheRestBack) {
  PeerLane from = lane();
  from.writer->put_inline(0, kBytes, {});
  from.writer->publish();
  port->close();
  poll();
  EXPECT_EQ(arrivals.size(), 1U);
  std::vector<std::uint16_t> back;
  port->take_back([&](std::uint16_t index) { back.push_back(index); });
  EXPECT_EQ(back, std::vector<std::uint16_t>{1});
  EXPECT_FALSE(owner.lost) << "that was this side's doing";
}

}  // namespace
}  // namespace comch::transport::shm
