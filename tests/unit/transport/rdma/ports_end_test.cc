// How it ends: consumers and producers that stop, lanes that break, hosts that die, and calls that
// fail. Each task has one answer, and nothing is left.
#include "comch/log.h"
#include "unit/transport/rdma/ports.h"

namespace comch::transport::rdma {
namespace {

TEST(RdmaEndTest, AConsumerThatEndsIsToldOfAndItsMemoryIsLetGoWhenNobodyWritesToItAnyMore) {
  Ports machines;
  TestProducer producer(machines);
  const auto before = machines.link.fabric.counts(kServer);
  auto consumer = std::make_unique<TestConsumer>(machines);
  const std::uint32_t id = consumer->port->id();
  consumer->post(0, 0, 64);
  ASSERT_EQ(producer.send(id, "first"), Outcome::kUnderWay);
  consumer->port.reset();
  machines.settle();
  ASSERT_EQ(machines.client.news.size(), 2U);
  EXPECT_FALSE(machines.client.news[1].appeared);
  EXPECT_TRUE(machines.client.hub->remote_ids().empty());
  EXPECT_EQ(producer.send(id, "too late"), Outcome::kGone);
  EXPECT_EQ(producer.completed(id), 1U) << "it had arrived";
  machines.client.hub->ring_producers();
  machines.settle();
  EXPECT_EQ(producer.port->lane_if_any(id), nullptr) << "what nobody uses is dropped";
  EXPECT_FALSE(producer.port->lane(id));
  consumer.reset();
  EXPECT_EQ(machines.link.fabric.counts(kServer).regions, before.regions);
  EXPECT_EQ(machines.link.fabric.counts(kServer).queue_pairs, before.queue_pairs);
  EXPECT_FALSE(machines.server.broken || machines.client.broken);
}

// As a consumer does whose application stops it when it hears that it runs.
TEST(RdmaEndTest, APortMayEndInTheCallThatSaysItIsAccepted) {
  struct Hasty final : ConsumerPortOwner {
    void on_accepted() override { port.reset(); }
    void on_wake() override { EXPECT_EQ(port, nullptr); }
    void on_lost(const Error&) override { ADD_FAILURE() << "it has ended by itself"; }
    std::unique_ptr<ConsumerPort> port;
  };
  Ports machines;
  std::vector<std::byte> memory(4096);
  MapLife life(memory);
  Hasty owner;
  owner.port = ConsumerPort::open(machines.server.reactor, machines.server.hub,
                                  {.depth = 4, .immediate_max = 0, .map = &life}, owner)
                   .value();
  machines.settle();
  EXPECT_EQ(owner.port, nullptr);
  EXPECT_EQ(machines.server.hub->ports(), 0U);
  EXPECT_TRUE(machines.client.hub->remote_ids().empty());
}

TEST(RdmaEndTest, ClosedAConsumerStillHandsOutWhatHasArrivedAndThenGivesTheRestBack) {
  Ports machines;
  TestConsumer consumer(machines);
  TestProducer producer(machines);
  const std::uint32_t id = consumer.port->id();
  consumer.post(0, 0, 64);
  consumer.post(1, 64, 64);
  ASSERT_EQ(producer.send(id, "arrived"), Outcome::kUnderWay);
  consumer.port->close();
  EXPECT_TRUE(consumer.port->has_message());
  EXPECT_TRUE(consumer.poll());
  EXPECT_EQ(consumer.text(0, 7), "arrived");
  std::vector<std::uint16_t> back;
  consumer.port->take_back([&](std::uint16_t index) { back.push_back(index); });
  EXPECT_EQ(back, std::vector<std::uint16_t>{1});
  EXPECT_FALSE(consumer.lost) << "that was this side's doing";
}

TEST(RdmaEndTest, WhatComesBehindTheEndIsNotTakenAndIsNoLie) {
  Ports machines;
  TestConsumer consumer(machines);
  TestProducer producer(machines);
  const std::uint32_t id = consumer.port->id();
  consumer.post(0, 0, 64);
  machines.settle();
  std::string said;
  set_log_sink([&](LogLevel, std::string_view line) { said += line; });
  consumer.port->close();
  consumer.port->take_back([](std::uint16_t) {});
  ASSERT_EQ(producer.send(id, "too late"), Outcome::kUnderWay) << "it has not heard of the end";
  EXPECT_FALSE(consumer.port->has_message());
  consumer.poll();
  set_log_sink({});
  EXPECT_TRUE(consumer.arrivals.empty());
  EXPECT_EQ(said, "");
}

TEST(RdmaEndTest, ALaneIsLeftToTheNextProducer) {
  Ports machines;
  TestConsumer consumer(machines);
  const std::uint32_t id = consumer.port->id();
  {
    const TestProducer first(machines);
  }  // There are as many lanes as one needs from here on.
  const std::uint64_t pairs = machines.link.fabric.counts(kClient).queue_pairs;
  for (std::uint32_t n = 0; n < 20; ++n) {
    TestProducer producer(machines);
    consumer.post(0, 0, 64);
    ASSERT_EQ(producer.send(id, "hello"), Outcome::kUnderWay);
    ASSERT_TRUE(consumer.poll());
    EXPECT_EQ(consumer.arrivals.back().producer, producer.port->id());
    ASSERT_EQ(producer.completed(id), 1U);
  }
  EXPECT_EQ(machines.link.fabric.counts(kClient).queue_pairs, pairs);
}

TEST(RdmaEndTest, SeveralProducersShareWhatIsPostedAndHaveLanesOfTheirOwn) {
  Ports machines;
  TestConsumer consumer(machines, 8);
  TestProducer one(machines), two(machines), three(machines);
  const std::uint32_t id = consumer.port->id();
  for (std::uint16_t n = 0; n < 6; ++n) consumer.post(n, n * std::uint64_t{64}, 64);
  for (int n = 0; n < 2; ++n) {
    for (TestProducer* producer : {&one, &two, &three}) {
      ASSERT_EQ(producer->send(id, "hello"), Outcome::kUnderWay);
    }
  }
  EXPECT_EQ(one.send(id, "none left"), Outcome::kNothingPosted);
  while (consumer.poll(1)) continue;
  EXPECT_EQ(consumer.arrivals.size(), 6U);
  std::vector<std::uint32_t> from;
  for (const Arrival& arrival : consumer.arrivals) from.push_back(arrival.producer);
  EXPECT_EQ(std::ranges::count(from, two.port->id()), 2);
}

// It was taken off the board and never used up.
TEST(RdmaEndTest, WhatAnAbortedProducerHadTakenIsTheOthersAgain) {
  Ports machines;
  TestConsumer consumer(machines);
  TestProducer other(machines);
  const std::uint32_t id = consumer.port->id();
  consumer.post(0, 0, 64);
  consumer.post(1, 64, 64);
  {
    TestProducer aborted(machines);
    ASSERT_EQ(aborted.send(id, "arrives"), Outcome::kUnderWay);
    machines.link.fabric.hold();
    ASSERT_EQ(aborted.send(id, "is lost"), Outcome::kUnderWay);
  }
  machines.link.fabric.release();
  EXPECT_EQ(other.send(id, "none"), Outcome::kNothingPosted) << "until it is known to be lost";
  machines.settle();
  EXPECT_TRUE(consumer.poll());
  for (int n = 0; n < 3; ++n) {
    consumer.poll();
    machines.settle();
  }
  EXPECT_GE(other.wakes, 1);
  ASSERT_EQ(other.send(id, "hello"), Outcome::kUnderWay);
  EXPECT_TRUE(consumer.poll());
  ASSERT_EQ(consumer.arrivals.size(), 2U);
  EXPECT_EQ(consumer.arrivals[1].index, 1);
  EXPECT_EQ(consumer.text(64, 5), "hello");
  EXPECT_FALSE(machines.server.broken || machines.client.broken);
}

TEST(RdmaEndTest, AHostThatDiesFailsWhatIsUnderWayOnce) {
  Ports machines;
  TestConsumer consumer(machines);
  TestProducer producer(machines);
  const std::uint32_t id = consumer.port->id();
  consumer.post(0, 0, 64);
  consumer.post(1, 64, 64);
  ASSERT_EQ(producer.send(id, "arrived"), Outcome::kUnderWay);
  machines.link.fabric.kill_host(kServer);
  ASSERT_EQ(producer.send(id, "on its way"), Outcome::kUnderWay);
  machines.link.fabric.time_out();
  EXPECT_EQ(producer.completed(id), 1U);
  EXPECT_EQ(producer.lane(id).step(), std::nullopt);
  EXPECT_EQ(producer.lane(id).failure().code, Errc::connection_reset);
  EXPECT_EQ(producer.send(id, "more"), Outcome::kBroken);
}

TEST(RdmaEndTest, TheEndOfTheConnectionIsToldToEveryPortOnce) {
  Ports machines;
  TestConsumer consumer(machines);
  TestProducer producer(machines);
  EXPECT_EQ(machines.client.hub->ports(), 1U);
  EXPECT_EQ(machines.client.hub->close(), std::vector{consumer.port->id()});
  EXPECT_TRUE(machines.client.hub->close().empty());
  machines.server.hub->close();
  machines.settle();
  EXPECT_EQ(producer.lost, Errc::connection_reset);
  EXPECT_EQ(consumer.lost, Errc::connection_reset);
  EXPECT_TRUE(consumer.port->closed());
  os::Event rings = os::Event::create().value();
  EXPECT_EQ(machines.client.hub->enter(Hub::Kind::kConsumer, rings).error().code,
            Errc::connection_reset);
}

TEST(RdmaEndTest, AConsumerThatCannotBeReachedIsTold) {
  Ports machines;
  auto memory = std::vector<std::byte>(4096);
  MapLife life(memory);
  struct Owner final : ConsumerPortOwner {
    void on_accepted() override { ADD_FAILURE(); }
    void on_wake() override {}
    void on_lost(const Error& error) override { lost = error.code; }
    std::optional<Errc> lost;
  } owner;
  auto port = ConsumerPort::open(machines.server.reactor, machines.server.hub,
                                 {.depth = 4, .immediate_max = 32, .map = &life}, owner)
                  .value();
  machines.link.fabric.fail_call(1, ENOMEM);  // Of the machine that is to have a board.
  machines.settle();
  EXPECT_EQ(owner.lost, Errc::operating_system);
}

TEST(RdmaEndTest, AMapThatIsStoppedCannotBeWrittenToFromAfarAnyMore) {
  Ports machines;
  TestConsumer consumer(machines);
  TestProducer producer(machines);
  const std::uint32_t id = consumer.port->id();
  consumer.post(0, 0, 5000);
  consumer.life.reset();
  ASSERT_EQ(producer.send(id, std::string(5000, 'x')), Outcome::kUnderWay);
  EXPECT_EQ(producer.lane(id).step(), std::nullopt);
  EXPECT_EQ(consumer.text(0, 4), std::string_view("\0\0\0\0", 4));
}

// A message's life between two machines, and everything's end; `failing`: which call fails.
struct FailingLife {
  explicit FailingLife(std::uint64_t failing) {
    const std::uint64_t first = machines.link.fabric.calls();
    if (failing != 0) machines.link.fabric.fail_call(failing, EIO);
    try {
      run();
    } catch (const std::bad_expected_access<Error>& refused) {
      EXPECT_EQ(refused.error().sys, EIO);
    }
    calls = machines.link.fabric.calls() - first;
    producer.reset();
    consumer.reset();
    machines.server.hub->close();
    machines.client.hub->close();
  }

  void run() {
    consumer = std::make_unique<TestConsumer>(machines);
    producer = std::make_unique<TestProducer>(machines);
    const std::uint32_t id = consumer->port->id();
    consumer->post(0, 0, 5000);
    machines.settle();
    const bool reachable = producer->port->knows(id) && producer->port->lane(id);
    if (reachable && producer->send(id, std::string(5000, 'x')) == Outcome::kUnderWay) {
      arrived = consumer->poll();
      completed = producer->lane(id).step() == std::size_t{1};
    }
    consumer->port->arm();
    consumer->port->ready();
    machines.settle();
  }

  Ports machines;
  std::unique_ptr<TestConsumer> consumer;
  std::unique_ptr<TestProducer> producer;
  std::uint64_t calls = 0;
  bool arrived = false;
  bool completed = false;
};

TEST(RdmaEndTest, EveryCallMayFailAndNothingIsLeft) {
  const FailingLife whole(0);
  ASSERT_TRUE(whole.completed);
  ASSERT_GT(whole.calls, 20U);
  const auto at_server = whole.machines.link.fabric.counts(kServer);
  const auto at_client = whole.machines.link.fabric.counts(kClient);
  for (std::uint64_t failing = 1; failing <= whole.calls; ++failing) {
    const FailingLife life(failing);
    EXPECT_TRUE(life.arrived || !life.completed) << failing;
    const auto server = life.machines.link.fabric.counts(kServer);
    const auto client = life.machines.link.fabric.counts(kClient);
    EXPECT_EQ(server.regions, at_server.regions) << failing;
    EXPECT_EQ(client.regions, at_client.regions) << failing;
    EXPECT_EQ(server.queue_pairs, at_server.queue_pairs) << failing;
    EXPECT_EQ(client.queue_pairs, at_client.queue_pairs) << failing;
  }
}

}  // namespace
}  // namespace comch::transport::rdma
