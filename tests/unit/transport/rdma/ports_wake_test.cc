// Falling asleep and being woken, in every order in which the two sides' writes may meet.
#include "unit/transport/rdma/ports.h"

namespace comch::transport::rdma {
namespace {

struct RdmaWakeTest : testing::Test {
  RdmaWakeTest() {
    for (std::uint16_t n = 0; n < 8; ++n) consumer.post(n, n * std::uint64_t{64}, 64);
    producer.lane(id);
    machines.settle();
  }
  // As the engine does: asks to be rung, looks once more. True: asleep.
  bool sleep() {
    consumer.port->arm();
    if (!consumer.port->ready()) return true;
    consumer.port->disarm();
    return false;
  }
  // What the kernel would wake somebody for. True: the consumer was.
  bool woken() {
    const int before = consumer.wakes;
    while (machines.server.reactor.turn()) continue;
    return consumer.wakes != before;
  }
  void send() { ASSERT_EQ(producer.send(id, "wake up"), Outcome::kUnderWay); }

  Ports machines;
  TestConsumer consumer{machines, 8};
  TestProducer producer{machines};
  const std::uint32_t id = consumer.port->id();
};

TEST_F(RdmaWakeTest, ASleepingConsumerIsRungForTheNextMessageAndForItAlone) {
  ASSERT_TRUE(sleep());
  machines.settle();  // Its own write is acknowledged, for which it looks once more.
  ASSERT_TRUE(sleep());
  EXPECT_FALSE(woken());
  send();
  EXPECT_TRUE(woken());
  EXPECT_EQ(consumer.port->wakes_received(), 1U);
  send();
  EXPECT_EQ(consumer.port->wakes_received(), 1U);
  EXPECT_TRUE(consumer.poll());
  EXPECT_EQ(consumer.arrivals.size(), 2U);
  EXPECT_EQ(producer.port->counters().wakes_sent, 1U);
}

TEST_F(RdmaWakeTest, AConsumerThatPollsIsNotRung) {
  for (int n = 0; n < 5; ++n) send();
  EXPECT_EQ(producer.port->counters().wakes_sent, 0U);
}

TEST_F(RdmaWakeTest, SleepingAgainAndAgainNeverRunsOutOfReceives) {
  for (int n = 0; n < 200; ++n) {
    while (!sleep()) consumer.poll();
    send();
    EXPECT_TRUE(woken());
    consumer.port->disarm();
    consumer.port->poll(64, [&](std::size_t, const Arrival& arrival) {
      consumer.port->post(arrival.index, arrival.index * std::uint64_t{64}, 64);
    });
    consumer.port->publish();
    producer.completed(id);
  }
  EXPECT_EQ(consumer.port->wakes_received(), 200U);
  EXPECT_EQ(machines.link.fabric.counts(kServer).not_ready, 0U);
  EXPECT_EQ(machines.link.fabric.counts(kClient).not_ready, 0U);
}

// The bell and the message cross each other on the wire.
TEST_F(RdmaWakeTest, AMessageThatCrossesTheBellIsRungForWhenItIsAcknowledged) {
  machines.link.fabric.hold();
  consumer.port->arm();  // Its episode is under way,
  ASSERT_FALSE(consumer.port->ready());
  send();                          // and the message is, without a ring.
  machines.link.fabric.release();  // Both arrive.
  producer.completed(id);          // The acknowledgement makes the producer look again.
  EXPECT_TRUE(woken());
  EXPECT_TRUE(consumer.poll());
}

TEST_F(RdmaWakeTest, AMessageOfWhichAPartHasComeIsRungForWhenAllOfItIsThere) {
  const auto remote = machines.client.hub->find(id);
  LaneParts parts = machines.client.hub->take_lane(*remote).value();
  const std::uint64_t slot = parts.target.address + kLaneSlots;
  OutLane lane(machines.client.hub, remote, std::move(parts), 9, {});
  machines.link.fabric.hold();
  consumer.port->arm();
  const OutLane::Source source;
  ASSERT_EQ(lane.put({}, {}, &source), Outcome::kUnderWay);
  lane.publish();
  const std::uint64_t begin = 1;  // The sequence has come, and the sum has not.
  std::memcpy(reinterpret_cast<void*>(slot), &begin, sizeof begin);
  EXPECT_FALSE(consumer.port->ready()) << "the rest may never come";
  machines.link.fabric.release();
  EXPECT_EQ(lane.step(), 1U);
  EXPECT_TRUE(woken());
  EXPECT_TRUE(consumer.poll());
}

TEST_F(RdmaWakeTest, AMessageOfAProducerThatDoesNotProgressIsFoundByTheSecondLook) {
  machines.link.fabric.hold();
  consumer.port->arm();
  ASSERT_FALSE(consumer.port->ready());
  send();
  machines.link.fabric.release();
  consumer.wakes = 0;
  machines.server.reactor.pass(5'000'000);
  EXPECT_GE(consumer.wakes, 1);
  EXPECT_TRUE(consumer.poll());
}

// --- The producer's sleep ------------------------------------------------------------------

struct RdmaSpaceTest : testing::Test {
  RdmaSpaceTest() {
    producer.lane(id);
    machines.settle();
  }
  bool woken() {
    const int before = producer.wakes;
    while (machines.client.reactor.turn()) continue;
    return producer.wakes != before;
  }

  Ports machines;
  TestConsumer consumer{machines};
  TestProducer producer{machines};
  const std::uint32_t id = consumer.port->id();
  OutLane& lane = producer.lane(id);
};

TEST_F(RdmaSpaceTest, AProducerThatWaitsIsRungWhenSomethingIsPosted) {
  lane.arm(true);
  EXPECT_TRUE(lane.ready(true)) << "its own write is acknowledged: one more look";
  woken();
  lane.arm(true);
  EXPECT_FALSE(lane.ready(true));
  EXPECT_FALSE(woken());
  consumer.post(0, 0, 64);
  EXPECT_TRUE(lane.has_space()) << "without the producer's engine";
  consumer.port->poll(1, [](std::size_t, const Arrival&) {});  // The acknowledgement of the post.
  EXPECT_TRUE(woken());
  EXPECT_TRUE(lane.ready(true));
}

TEST_F(RdmaSpaceTest, APostThatCrossesTheBellIsRungForWhenItIsAcknowledged) {
  machines.link.fabric.hold();
  consumer.post(0, 0, 64);
  lane.arm(true);
  ASSERT_FALSE(lane.ready(true));
  machines.link.fabric.release();
  consumer.port->poll(1, [](std::size_t, const Arrival&) {});
  EXPECT_TRUE(woken());
  EXPECT_TRUE(lane.ready(true));
}

TEST_F(RdmaSpaceTest, ASleepingConsumerHearsOfItsAcknowledgementsAndRings) {
  machines.link.fabric.hold();
  consumer.post(0, 0, 64);
  lane.arm(true);
  consumer.port->arm();
  ASSERT_FALSE(consumer.port->ready());
  machines.link.fabric.release();
  while (machines.server.reactor.turn()) continue;
  EXPECT_TRUE(woken());
}

// What is posted is no use to who has too much under way.
TEST(RdmaFullLaneTest, WhoHasTooMuchUnderWaySleepsUntilSomeOfItIsAcknowledged) {
  Ports machines;
  TestConsumer consumer(machines, 512);
  TestProducer producer(machines);
  const std::uint32_t id = consumer.port->id();
  OutLane& lane = producer.lane(id);
  for (std::uint16_t n = 0; n < 512; ++n) consumer.post(n, 0, 64);
  machines.settle();
  machines.link.fabric.hold();
  while (producer.send(id, "x") == Outcome::kUnderWay) continue;
  EXPECT_FALSE(lane.has_space());
  lane.arm(true);
  EXPECT_FALSE(lane.ready(true));
  machines.link.fabric.release();
  while (machines.client.reactor.turn()) continue;
  EXPECT_GT(producer.wakes, 0);
  EXPECT_TRUE(lane.has_space());
  EXPECT_EQ(producer.send(id, "x"), Outcome::kUnderWay);
}

TEST_F(RdmaSpaceTest, WhoWaitsForRoomInALaneThatBreaksIsToldToAskWhy) {
  EXPECT_FALSE(lane.has_space());
  lane.link().flush();
  EXPECT_TRUE(lane.ready(true));
  EXPECT_TRUE(lane.has_space());
  EXPECT_EQ(producer.send(id, "x"), Outcome::kBroken);
}

TEST_F(RdmaSpaceTest, WaitingAgainAndAgainNeverRunsOutOfReceives) {
  for (int n = 0; n < 100; ++n) {
    lane.arm(true);
    if (lane.ready(true)) continue;
    const auto index = static_cast<std::uint16_t>(n % 4);
    consumer.post(index, 0, 64);
    consumer.port->poll(1, [](std::size_t, const Arrival&) {});
    ASSERT_TRUE(woken()) << n;
    ASSERT_EQ(producer.send(id, "x"), Outcome::kUnderWay);
    ASSERT_EQ(producer.completed(id), 1U);
    ASSERT_TRUE(consumer.poll());
  }
  EXPECT_EQ(machines.link.fabric.counts(kClient).not_ready, 0U);
}

}  // namespace
}  // namespace comch::transport::rdma
