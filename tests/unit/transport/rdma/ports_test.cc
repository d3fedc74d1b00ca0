// The fast path between two machines, over a fabric in this process: what arrives, when it is
// complete, and what it costs.
#include "unit/transport/rdma/ports.h"

#include <numeric>

namespace comch::transport::rdma {
namespace {

std::string long_text(std::size_t size) {
  std::string text(size, '\0');
  std::iota(text.begin(), text.end(), 'a');
  return text;
}

TEST(RdmaPortsTest, AConsumerRunsAndIsToldOfOnceThereIsALaneToIt) {
  Ports machines;
  TestConsumer consumer(machines);
  EXPECT_EQ(consumer.accepted, 1);
  ASSERT_EQ(machines.client.news.size(), 1U);
  EXPECT_EQ(machines.client.news[0].id, consumer.port->id());
  EXPECT_TRUE(machines.client.news[0].appeared);
  EXPECT_EQ(machines.client.hub->remote_ids(), std::vector{consumer.port->id()});
}

TEST(RdmaPortsTest, ASmallMessageArrivesInItsPostedBufferAndIsThenComplete) {
  Ports machines;
  TestConsumer consumer(machines);
  TestProducer producer(machines);
  const std::uint32_t id = consumer.port->id();
  EXPECT_EQ(producer.send(id, "too early"), Outcome::kNothingPosted);
  consumer.post(2, 100, 64);
  EXPECT_EQ(producer.send(id, "hello", "imm"), Outcome::kUnderWay);
  EXPECT_TRUE(consumer.poll());
  ASSERT_EQ(consumer.arrivals.size(), 1U);
  EXPECT_EQ(consumer.arrivals[0].index, 2);
  EXPECT_EQ(consumer.arrivals[0].passage, Passage::kInline);
  EXPECT_EQ(consumer.arrivals[0].producer, producer.port->id());
  EXPECT_EQ(consumer.arrivals[0].length, 5U);
  EXPECT_EQ(consumer.immediates[0], "imm");
  EXPECT_EQ(consumer.text(100, 5), "hello");
  EXPECT_EQ(producer.completed(id), 1U);
  EXPECT_EQ(consumer.port->posted(), 0U);
}

TEST(RdmaPortsTest, ALongMessageIsWrittenFromWhereItLies) {
  Ports machines;
  TestConsumer consumer(machines);
  TestProducer producer(machines);
  const std::uint32_t id = consumer.port->id();
  consumer.post(0, 4096, 5000);
  const std::string text = long_text(5000);
  EXPECT_EQ(producer.send(id, text, "imm"), Outcome::kUnderWay);
  EXPECT_TRUE(consumer.poll());
  ASSERT_EQ(consumer.arrivals.size(), 1U);
  EXPECT_EQ(consumer.arrivals[0].passage, Passage::kDirect);
  EXPECT_EQ(consumer.immediates[0], "imm");
  EXPECT_EQ(consumer.text(4096, 5000), text);
  EXPECT_EQ(producer.completed(id), 1U);
  EXPECT_EQ(producer.port->counters().direct, 1U);
}

TEST(RdmaPortsTest, ADeviceThatInlinesNothingSendsFromWhereTheRecordsLie) {
  Ports machines([](test::FakeFabric& fabric) {
    fabric.set_limits({.max_message = 1U << 20U, .max_completions = 32767}, 0);
  });
  TestConsumer consumer(machines);
  TestProducer producer(machines);
  const std::uint32_t id = consumer.port->id();
  for (const std::string_view text : {"one", "two", "three"}) {
    consumer.post(0, 0, 64);
    ASSERT_EQ(producer.send(id, text), Outcome::kUnderWay);
    ASSERT_TRUE(consumer.poll());
    EXPECT_EQ(consumer.text(0, text.size()), text);
    EXPECT_EQ(producer.completed(id), 1U);
  }
  EXPECT_GT(machines.link.fabric.counts(kClient).work_requests, 0U);
  EXPECT_EQ(machines.link.fabric.counts(kClient).inlined, 0U);
}

}  // namespace
}  // namespace comch::transport::rdma
