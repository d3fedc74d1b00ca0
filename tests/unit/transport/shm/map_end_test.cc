// ConsumerPort: memory maps of the peer that end. They are unmapped as soon as nothing can speak of
// them, and not before, whatever the peer says.
#include "unit/transport/shm/consumer_port_fixture.h"

namespace comch::transport::shm {
namespace {

constexpr std::uint32_t kMap = 3;

struct MapEndTest : ConsumerPortTest {
  void end_map(std::uint32_t number = kMap) {
    ASSERT_TRUE(say_packet(line, wire::MapEnd{number}));
    settle();
  }
  void end_lane(std::uint32_t producer) {
    ASSERT_TRUE(say_packet(line, wire::LaneEnd{producer}));
    settle();
  }
  // A lane of which one message, in the map, is in the lane.
  PeerLane handing_over(std::uint32_t producer, std::uint16_t index = 0) {
    PeerLane from = lane(producer, {.handles = 2});
    from.writer->put_hand_over(index, kMap, 0, {8, 16}, {});
    from.writer->publish();
    return from;
  }
  bool give_back(std::uint32_t producer, const Arrival& message) {
    return port->give_back(producer, message.handle, message.handed.data());
  }
  // The bytes can be read.
  void expect_there(const Arrival& message) {
    ASSERT_EQ(message.handed.size(), 16U);
    EXPECT_EQ(message.handed[15], std::byte{0});
  }
};

TEST_F(MapEndTest, AMapThatNobodyUsesIsUnmapped) {
  show_map(kMap, kPage);
  EXPECT_EQ(port->maps(), 1U);
  end_map();
  EXPECT_EQ(port->maps(), 0U);
  EXPECT_FALSE(owner.lost);
}

TEST_F(MapEndTest, BesideALaneItIsUnmappedWhenThatIsEmpty) {
  show_map(kMap, kPage);
  show_map(kMap + 1, kPage);
  PeerLane from = lane();
  end_map();
  EXPECT_EQ(port->maps(), 1U) << "the lane was empty";
  from.writer->put_inline(0, kBytes, {});
  from.writer->publish();
  end_map(kMap + 1);
  EXPECT_EQ(port->maps(), 1U);
  poll();
  EXPECT_TRUE(port->ready()) << "what is behind the message has not been looked at";
  poll();
  EXPECT_EQ(port->maps(), 0U);
  EXPECT_FALSE(port->ready());
  EXPECT_FALSE(owner.lost);
}

TEST_F(MapEndTest, ItsAddressesCanBeTakenAgain) {
  constexpr std::uint64_t kAll = Allowance::kAddresses.of_a_peer;
  show_map(0, kAll);
  end_map(0);
  ASSERT_TRUE(test::all_is_unmapped());
  show_map(1, kAll);
  EXPECT_FALSE(owner.lost);
}

TEST_F(MapEndTest, WhatIsHeldStaysMappedUntilItIsGivenBack) {
  show_map(kMap, kPage);
  const PeerLane from = handing_over(1);
  poll();
  ASSERT_EQ(arrivals.size(), 1U);
  end_map();
  poll();
  expect_there(arrivals[0]);
  EXPECT_EQ(port->maps(), 1U);
  EXPECT_FALSE(port->ready()) << "only the application can do something";
  EXPECT_TRUE(give_back(1, arrivals[0]));
  EXPECT_EQ(port->maps(), 0U);
}

// As of a producer that gives up.
TEST_F(MapEndTest, AMessageThatIsNotReadYetStillFindsIt) {
  show_map(kMap, kPage);
  const PeerLane from = handing_over(1);
  end_map();
  end_lane(1);
  poll();
  ASSERT_EQ(arrivals.size(), 1U);
  EXPECT_FALSE(owner.lost);
  poll();  // The lane is empty, and goes.
  expect_there(arrivals[0]);
  EXPECT_EQ(port->maps(), 1U);
  EXPECT_FALSE(give_back(1, arrivals[0])) << "its producer is gone";
  EXPECT_EQ(port->maps(), 0U);
}

TEST_F(MapEndTest, OneWhoTakesTheNumbersOfALaneThatIsGoneLetsNothingOfItGo) {
  show_map(kMap, kPage);
  show_map(kMap + 1, kPage);
  const PeerLane first = handing_over(1);
  end_lane(1);
  poll();
  poll();
  PeerLane second = lane(1, {.handles = 2});
  second.writer->put_hand_over(1, kMap + 1, 0, {8, 16}, {});
  second.writer->publish();
  poll();
  ASSERT_EQ(arrivals.size(), 2U);
  end_map();
  end_map(kMap + 1);
  poll();
  EXPECT_TRUE(give_back(1, arrivals[1]));
  expect_there(arrivals[0]);
  EXPECT_FALSE(give_back(1, arrivals[0]));
  EXPECT_EQ(port->maps(), 0U);
}

TEST_F(MapEndTest, AJobThatItsProducerHasFinishedStillFindsIt) {
  show_map(kMap, kRoom);
  PeerLane from = lane();
  std::ignore = from.writer->put_job(0, kMap, {0, kRoom}, comch::shm::kChunkShiftMin, {});
  from.word(0, 14) = 1 | std::uint64_t{32} << 32U;  // It has claimed all of its chunks.
  from.writer->publish();
  poll();
  EXPECT_TRUE(arrivals.empty());
  from.word(0, 15) = 1 | std::uint64_t{32} << 32U;
  end_map();
  EXPECT_EQ(port->maps(), 1U);
  poll();
  EXPECT_EQ(arrivals.size(), 1U);
  EXPECT_FALSE(owner.lost);
  poll();
  EXPECT_EQ(port->maps(), 0U);
}

TEST_F(MapEndTest, AJobThatIsUnderWayKeepsItAndNobodyAwake) {
  show_map(kMap, kRoom);
  PeerLane from = lane();
  std::ignore = from.writer->put_job(0, kMap, {0, kRoom}, comch::shm::kChunkShiftMin, {});
  from.word(0, 14) = 1 | std::uint64_t{31} << 32U;  // All chunks but one.
  from.writer->publish();
  poll();
  end_map();
  poll();
  EXPECT_EQ(port->maps(), 1U);
  EXPECT_FALSE(port->ready());
  from.word(0, 15) = 1 | std::uint64_t{32} << 32U;
  poll();
  EXPECT_EQ(arrivals.size(), 1U);
  poll();
  EXPECT_EQ(port->maps(), 0U);
  EXPECT_FALSE(owner.lost);
}

TEST_F(MapEndTest, EachLaneThatWasThereHasToBeEmptyOnce) {
  show_map(kMap, kPage);
  const PeerLane quiet = lane(1, {});
  const PeerLane from = handing_over(2);
  end_map();
  port->poll(1, [this](std::size_t, const Arrival& arrival) { arrivals.push_back(arrival); });
  ASSERT_EQ(arrivals.size(), 1U);
  EXPECT_TRUE(give_back(2, arrivals[0]));
  EXPECT_EQ(port->maps(), 1U) << "there may be more";
  const PeerLane late = lane(3, {});  // What it brings came behind the end.
  poll();
  EXPECT_EQ(port->maps(), 0U);
}

// --- Lanes that are never empty ----------------------------------------------------------

// A lane in which there is another message whenever one is taken. As many buffers are posted as may
// be, which are as many as the lane has slots.
struct BusyLaneEndTest : MapEndTest {
  BusyLaneEndTest() {
    port->post(2, 0, kRoom);
    port->post(3, 0, kRoom);
    port->publish();
    send();
  }

  // Of the buffer that was posted next.
  std::uint16_t index() { return static_cast<std::uint16_t>(used++ % port->names()); }
  void send() {
    from.writer->put_inline(index(), kBytes, {});
    from.writer->publish();
  }
  void hand_over(std::uint32_t map) {
    from.writer->put_hand_over(index(), map, 0, {8, 16}, {});
    from.writer->publish();
  }
  // Takes the next message, and posts its buffer again.
  void take() {
    port->poll(1, [this](std::size_t, const Arrival& arrival) { arrivals.push_back(arrival); });
    ASSERT_EQ(arrivals.size(), ++taken);
    const bool is_small = arrivals.back().index == 1;
    port->post(arrivals.back().index, is_small ? kRoom : 0, is_small ? kSmall : kRoom);
    port->publish();
  }
  void send_and_take(std::size_t messages) {
    for (; messages != 0; --messages) {
      send();
      take();
    }
  }

  PeerLane from = lane(1, {.handles = 4});
  const std::size_t lap = from.layout.shape.slots;
  std::uint32_t used = 0;  // Of the buffers that were posted.
  std::size_t taken = 0;
};

TEST_F(BusyLaneEndTest, AMapIsUnmappedWhenAllThatWasThereIsTaken) {
  show_map(kMap, kPage);
  end_map();
  EXPECT_EQ(port->maps(), 1U) << "the message may speak of it";
  send_and_take(lap);
  EXPECT_EQ(port->maps(), 0U);
  EXPECT_FALSE(owner.lost);
}

TEST_F(BusyLaneEndTest, MapsThatComeAndGoDoNotStayMapped) {
  std::size_t most = 0;
  for (std::uint32_t number = 0; number < 40; ++number) {
    show_map(number, kPage);
    send_and_take(1);
    end_map(number);
    most = std::max(most, port->maps());
  }
  EXPECT_LE(most, 2 * lap);
  send_and_take(2 * lap);
  EXPECT_EQ(port->maps(), 0U);
  EXPECT_FALSE(owner.lost);
}

TEST_F(BusyLaneEndTest, TheLastMessageThatWasThereStillFindsTheMap) {
  show_map(kMap, kPage);
  send();
  send();
  hand_over(kMap);  // The lane is full.
  end_map();
  take();
  send_and_take(3);
  ASSERT_FALSE(owner.lost);
  expect_there(arrivals.back());
  send_and_take(2 * lap);
  EXPECT_EQ(port->maps(), 1U) << "the application holds it";
  EXPECT_TRUE(give_back(1, arrivals[3]));
  EXPECT_EQ(port->maps(), 0U);
}

TEST_F(BusyLaneEndTest, AJobInAnotherLaneStillFindsTheMap) {
  show_map(kMap, kRoom);
  PeerLane other = lane(2, {});
  send_and_take(1);  // The small buffer.
  std::ignore = other.writer->put_job(index(), kMap, {0, kRoom}, comch::shm::kChunkShiftMin, {});
  other.word(0, 14) = 1 | std::uint64_t{31} << 32U;  // All chunks but one.
  other.writer->publish();
  end_map();
  send_and_take(lap);
  EXPECT_EQ(port->maps(), 1U);
  other.word(0, 15) = 1 | std::uint64_t{32} << 32U;
  poll();
  EXPECT_FALSE(owner.lost);
  poll();
  EXPECT_EQ(port->maps(), 0U);
}

// --- Lies --------------------------------------------------------------------------------

TEST_F(MapEndTest, RefusesTheEndOfAMapThatThereIsNot) { expect_lost_by(wire::MapEnd{kMap}); }

TEST_F(MapEndTest, RefusesASecondEnd) {
  show_map(kMap, kPage);
  end_map();
  expect_lost_by(wire::MapEnd{kMap});
}

TEST_F(MapEndTest, RefusesASecondEndOfWhatIsHeld) {
  show_map(kMap, kPage);
  const PeerLane from = handing_over(1);
  poll();
  ASSERT_EQ(arrivals.size(), 1U);
  end_map();
  expect_lost_by(wire::MapEnd{kMap});
  poll();
  expect_there(arrivals[0]);
}

TEST_F(MapEndTest, RefusesAnEndWithADescriptor) {
  show_map(kMap, kPage);
  const std::array<int, 1> fds{line.get()};
  expect_lost_by(wire::MapEnd{kMap}, fds);
}

TEST_F(MapEndTest, RefusesAMessageInAMapThatHasEnded) {
  show_map(kMap, kPage);
  end_map();
  const PeerLane from = handing_over(1);
  expect_lie();
}

TEST_F(MapEndTest, RefusesANumberThatWasUsed) {
  show_map(kMap, kPage);
  end_map();
  show_map(kMap, kPage);
  EXPECT_EQ(owner.lost, Errc::connection_reset);
}

}  // namespace
}  // namespace comch::transport::shm
