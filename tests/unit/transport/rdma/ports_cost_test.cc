// What messages cost, counted by the fabric: these are promises, not measurements.
#include "unit/transport/rdma/ports.h"

namespace comch::transport::rdma {
namespace {

constexpr std::uint32_t kCostDepth = 64;
constexpr std::uint64_t kMessages = 10'000;

struct RdmaCostTest : testing::Test {
  RdmaCostTest() {
    for (std::uint16_t n = 0; n < kCostDepth; ++n) consumer.post(n, n * std::uint64_t{64}, 64);
    producer.lane(id);
    machines.link.fabric.reset_counts();
  }
  // As a consumer's callback does: what was filled is posted again.
  void receive() {
    consumer.port->poll(64, [&](std::size_t, const Arrival& arrival) {
      EXPECT_EQ(arrival.length, 64U);
      consumer.port->post(arrival.index, arrival.index * std::uint64_t{64}, 64);
      ++received;
    });
    consumer.port->publish();
  }
  test::FakeFabric::Counts sender() { return machines.link.fabric.counts(kClient); }
  test::FakeFabric::Counts receiver() { return machines.link.fabric.counts(kServer); }

  Ports machines;
  TestConsumer consumer{machines, kCostDepth};
  TestProducer producer{machines};
  const std::uint32_t id = consumer.port->id();
  const std::string message = std::string(64, 'm');
  std::uint64_t received = 0;
};

TEST_F(RdmaCostTest, ASmallMessageIsOneWorkRequestAndNoneAtTheReceiverButTheAmortisedCredit) {
  std::uint64_t sent = 0, completed = 0;
  while (received < kMessages) {
    for (int burst = 0; burst < 16; ++burst) {
      if (producer.send(id, message) == Outcome::kUnderWay) ++sent;
    }
    completed += producer.completed(id);
    receive();
  }
  while (completed < sent) completed += producer.completed(id);
  EXPECT_EQ(completed, sent);
  EXPECT_LE(sender().work_requests, sent);
  EXPECT_LE(sender().doorbells, sent);
  EXPECT_LE(sender().completions, sent);
  EXPECT_EQ(sender().inlined, sender().work_requests);
  EXPECT_EQ(sender().receives_posted, 0U);
  EXPECT_EQ(sender().registrations, 0U);
  EXPECT_LE(receiver().work_requests, received / 16 + 1) << "credits are given in bulk";
  EXPECT_EQ(receiver().receives_posted, 0U);
  EXPECT_LE(receiver().completions, received / 16 + 1);
  EXPECT_EQ(receiver().registrations, 0U);
  EXPECT_EQ(receiver().not_ready, 0U);
}

TEST_F(RdmaCostTest, ABatchIsOneWorkRequest) {
  constexpr std::uint64_t kBatch = 16;
  std::uint64_t sent = 0, batches = 0;
  while (received < kMessages) {
    std::uint64_t batch = 0;
    while (batch < kBatch && producer.send_copied(id, message) == Outcome::kSent) ++batch;
    producer.lane(id).publish();
    producer.completed(id);
    sent += batch;
    batches += batch != 0 ? 1 : 0;
    receive();
  }
  EXPECT_GE(sent, kMessages);
  EXPECT_EQ(sender().work_requests, batches);
  EXPECT_EQ(sender().doorbells, batches);
  EXPECT_LE(sender().completions, batches);
}

TEST_F(RdmaCostTest, APingOfOneMessageCostsOneCreditAtMost) {
  for (int n = 0; n < 1000; ++n) {
    ASSERT_EQ(producer.send(id, message), Outcome::kUnderWay);
    receive();
    ASSERT_EQ(producer.completed(id), 1U);
  }
  EXPECT_EQ(received, 1000U);
  EXPECT_EQ(sender().work_requests, 1000U);
  EXPECT_LE(receiver().work_requests, 1000U / 16) << "while the producer has plenty";
}

TEST_F(RdmaCostTest, ALongMessageIsTwoWorkRequestsWithOneDoorbell) {
  consumer.port->poll(64, [](std::size_t, const Arrival&) {});
  TestConsumer wide(machines, 4);
  wide.post(0, 0, 5000);
  producer.lane(wide.port->id());
  machines.link.fabric.reset_counts();
  ASSERT_EQ(producer.send(wide.port->id(), std::string(5000, 'x')), Outcome::kUnderWay);
  EXPECT_EQ(sender().work_requests, 2U);
  EXPECT_EQ(sender().doorbells, 1U);
  EXPECT_EQ(sender().signalled, 1U);
  EXPECT_EQ(sender().registrations, 1U);
  wide.poll();
  wide.post(0, 0, 5000);
  ASSERT_EQ(producer.completed(wide.port->id()), 1U);
  ASSERT_EQ(producer.send(wide.port->id(), std::string(5000, 'y')), Outcome::kUnderWay);
  EXPECT_EQ(sender().registrations, 1U) << "once for all messages of a map";
}

}  // namespace
}  // namespace comch::transport::rdma
