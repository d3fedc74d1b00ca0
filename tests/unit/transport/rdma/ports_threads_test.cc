// Producers and a consumer on threads of their own, and messages in whatever order the fabric
// delivers work requests of different queue pairs: each arrives once, whole and in order.
#include <atomic>
#include <random>
#include <thread>

#include "support/deadline.h"
#include "unit/transport/rdma/ports.h"

namespace comch::transport::rdma {
namespace {

constexpr std::uint32_t kThreadsDepth = 16;
constexpr std::uint64_t kRoom = 4096;

// The n-th message of a producer: its number, and a length that follows from it.
std::size_t length_of(std::uint32_t n) { return n % 7 == 0 ? 2000 + n % 100 : 8 + n % 60; }

void fill(std::span<std::byte> message, std::uint32_t n) {
  std::ranges::fill(message, static_cast<std::byte>(n));
  std::memcpy(message.data(), &n, sizeof n);
}

// Checks that a message is the next one of its producer.
struct Order {
  void check(const TestConsumer& consumer, const Arrival& arrival) {
    const std::byte* const at = consumer.memory.data() + arrival.index * kRoom;
    std::uint32_t n = 0;
    std::memcpy(&n, at, sizeof n);
    std::uint32_t& expected = next[arrival.producer];
    ASSERT_EQ(n, expected) << "of producer " << arrival.producer;
    ASSERT_EQ(arrival.length, length_of(n));
    for (std::size_t byte = sizeof n; byte < arrival.length; ++byte) {
      ASSERT_EQ(at[byte], static_cast<std::byte>(n)) << "byte " << byte << " of message " << n;
    }
    ++expected;
    ++received;
  }
  std::map<std::uint32_t, std::uint32_t> next;
  std::uint64_t received = 0;
};

void receive(TestConsumer& consumer, Order& order) {
  consumer.port->poll(64, [&](std::size_t, const Arrival& arrival) {
    order.check(consumer, arrival);
    consumer.port->post(arrival.index, arrival.index * kRoom, kRoom);
  });
  consumer.port->publish();
}

TEST(RdmaThreadsTest, EveryMessageOfEveryThreadArrivesOnceAndInOrder) {
  constexpr std::uint32_t kMessages = 1000;
  constexpr std::size_t kProducers = 3;
  const test::Deadline deadline;
  Ports machines;
  TestConsumer consumer(machines, kThreadsDepth);
  std::vector<std::unique_ptr<TestProducer>> producers;
  for (std::size_t n = 0; n < kProducers; ++n) {
    producers.push_back(std::make_unique<TestProducer>(machines));
  }
  const std::uint32_t id = consumer.port->id();
  for (auto& producer : producers) producer->lane(id);
  for (std::uint16_t n = 0; n < kThreadsDepth; ++n) consumer.post(n, n * kRoom, kRoom);
  std::atomic<bool> failed = false;
  std::vector<std::thread> threads;
  for (auto& producer : producers) {
    threads.emplace_back([&, sender = producer.get()] {
      std::uint32_t sent = 0, completed = 0;
      while (completed < kMessages && !failed) {
        // Each message has its place until it is complete.
        const std::span<std::byte> place =
            std::span(sender->memory).subspan(sent % 64 * kRoom, length_of(sent));
        if (sent < kMessages && sent - completed < 64) {
          fill(place, sent);
          if (sender->send(id, place) == Outcome::kUnderWay) ++sent;
        }
        const std::optional<std::size_t> done = sender->lane(id).step();
        if (!done || deadline.passed()) failed = true;
        completed += static_cast<std::uint32_t>(done.value_or(0));
      }
    });
  }
  Order order;
  while (order.received < kProducers * kMessages && !failed && !testing::Test::HasFailure()) {
    receive(consumer, order);
    if (deadline.passed()) failed = true;
  }
  if (testing::Test::HasFailure()) failed = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(failed);
  EXPECT_EQ(order.next.size(), kProducers);
  EXPECT_FALSE(consumer.lost);
}

// One thread, so that a seed says everything: what is under way is delivered when the dice say so,
// and either side falls asleep and is woken in between.
TEST(RdmaThreadsTest, WhateverTheOrderOfDeliveryNothingIsLostAndNobodySleepsForEver) {
  const std::uint64_t seed = test::seed();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 dice(seed);
  const auto roll = [&](std::uint32_t sides) { return static_cast<std::uint32_t>(dice() % sides); };
  Ports machines;
  TestConsumer consumer(machines, 4);
  TestProducer producer(machines);
  const std::uint32_t id = consumer.port->id();
  OutLane& lane = producer.lane(id);
  for (std::uint16_t n = 0; n < 4; ++n) consumer.post(n, n * kRoom, kRoom);
  machines.link.fabric.hold();
  Order order;
  std::uint32_t sent = 0, completed = 0;
  bool asleep = false, waits = false;
  for (int turn = 0; turn < 20000 && !testing::Test::HasFailure(); ++turn) {
    machines.link.fabric.deliver(roll(3));
    const int consumer_wakes = consumer.wakes;
    const int producer_wakes = producer.wakes;
    machines.server.reactor.turn();
    machines.client.reactor.turn();
    if (consumer.wakes != consumer_wakes) asleep = false;
    if (producer.wakes != producer_wakes) waits = false;
    if (!asleep) {
      consumer.port->disarm();
      receive(consumer, order);
      if (roll(4) == 0) {
        consumer.port->arm();
        asleep = !consumer.port->ready();
      }
    }
    if (waits) continue;
    const std::span<std::byte> place =
        std::span(producer.memory).subspan(sent % 64 * kRoom, length_of(sent));
    const Outcome outcome = sent - completed < 64 ? (fill(place, sent), producer.send(id, place))
                                                  : Outcome::kNothingPosted;
    if (outcome == Outcome::kUnderWay) ++sent;
    const std::optional<std::size_t> done = lane.step();
    ASSERT_TRUE(done);
    completed += static_cast<std::uint32_t>(*done);
    if (outcome == Outcome::kNothingPosted && roll(4) == 0) {
      lane.arm(true);
      waits = !lane.ready(true);
    }
  }
  EXPECT_GT(order.received, 1000U);
  EXPECT_EQ(machines.link.fabric.counts(kServer).not_ready, 0U);
  EXPECT_EQ(machines.link.fabric.counts(kClient).not_ready, 0U);
}

}  // namespace
}  // namespace comch::transport::rdma
