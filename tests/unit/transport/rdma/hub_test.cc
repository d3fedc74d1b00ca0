// Hub: what a peer may have here by its letters has an end, whatever it says and leaves unsaid.
#include "transport/rdma/hub.h"

#include "support/encoded.h"
#include "unit/transport/rdma/ports.h"

namespace comch::transport::rdma {
namespace {

struct QuietOwner final : ConsumerPortOwner {
  void on_accepted() override {}
  void on_wake() override {}
  void on_lost(const Error& /*error*/) override {}
};

// The server's hub is ours; the other machine is the test.
struct RdmaHubTest : testing::Test {
  // What is said to the hub, as its peer would. The code of its answer, if it is one.
  std::optional<Errc> say(const wire::RdmaPacket& packet) {
    const auto news = hub().take(wire::encoded(packet));
    return news ? std::nullopt : std::optional(news.error().code);
  }
  // What the hub has said since, of one kind.
  template <class Packet>
  std::vector<Packet> hear() {
    hub().flush(machines.server.post);
    std::vector<Packet> heard;
    for (const auto& letter : machines.server.post.letters) {
      const auto packet = wire::decode_rdma(letter).value();
      if (const auto* found = std::get_if<Packet>(&packet)) heard.push_back(*found);
    }
    machines.server.post.letters.clear();
    return heard;
  }
  // One of the peer's.
  wire::RdmaConsumer consumer(std::uint32_t id, std::uint32_t depth = 4) const {
    return {.id = id,
            .depth = depth,
            .immediate_max = 0,
            .line = pair->self(),
            .map_size = 4096,
            .map = {4096, 1}};
  }
  // One of ours.
  Result<std::unique_ptr<ConsumerPort>> open(ConsumerPortOwner& owner) {
    return ConsumerPort::open(machines.server.reactor, machines.server.hub,
                              {.depth = 4, .immediate_max = 0, .map = &life}, owner);
  }
  // The connection begins anew, with no more than that left for the peer.
  void allow(std::uint64_t pairs, std::uint64_t bytes) {
    hub().close();
    Fabric fabric = Ports::fabric_of(machines.link.server);
    Allowances& allowances = *fabric.allowances;
    others = {allowances.descriptors.take(Allowance::descriptors().of_a_peer - pairs),
              allowances.pinned.take(Allowance::kPinned.of_a_peer - bytes)};
    ASSERT_TRUE(others.descriptor && others.pinned);
    machines.server.hub = Hub::create(true, std::move(fabric)).value();
  }
  Hub& hub() { return *machines.server.hub; }
  std::uint64_t pinned() const { return machines.link.fabric.counts(kServer).region_bytes; }
  std::uint64_t queue_pairs() const { return machines.link.fabric.counts(kServer).queue_pairs; }

  PairShare others;
  Ports machines;
  std::vector<std::byte> memory = std::vector<std::byte>(4096);
  MapLife life{memory};
  const Fabric there = Ports::fabric_of(machines.link.client);
  const std::unique_ptr<Link> pair = Link::make(there, 64).value();
};

// --- Lanes -------------------------------------------------------------------------------

TEST_F(RdmaHubTest, LanesThatEndWhileTheConsumersThreadIsBusyCountUntilItHasLetThemGo) {
  TestConsumer consumer(machines);
  const std::uint32_t id = consumer.port->id();
  const std::uint64_t before = queue_pairs();
  const std::size_t free = 1024 - 1;  // The honest machine has one, for its next producer.
  for (std::uint32_t n = 0; n < 1100; ++n) {
    const std::uint32_t number = 100 + n;
    ASSERT_FALSE(say(wire::RdmaLane{id, number, pair->self()}));
    if (n >= free - 1) continue;
    ASSERT_FALSE(say(wire::RdmaLaneEnd{id, number}));
  }
  EXPECT_LE(queue_pairs() - before, 1024U);
  const auto refused = hear<wire::RdmaRefused>();
  ASSERT_FALSE(refused.empty());
  EXPECT_EQ(refused.back().code, Errc::full);
  while (machines.server.reactor.turn()) {
  }
  consumer.poll();
  EXPECT_LT(queue_pairs() - before, 100U);
  ASSERT_FALSE(say(wire::RdmaLane{id, 9999, pair->self()}));
  EXPECT_EQ(hear<wire::RdmaLaneReady>().size(), 1U);
}

TEST_F(RdmaHubTest, AConsumerThatIsGoneGetsNoLane) {
  auto consumer = std::make_unique<TestConsumer>(machines);
  const std::uint32_t id = consumer->port->id();
  ASSERT_FALSE(say(wire::RdmaLane{id, 99, pair->self()}));
  consumer.reset();
  const std::uint64_t before = queue_pairs();
  std::ignore = hear<wire::RdmaRefused>();
  ASSERT_FALSE(say(wire::RdmaLane{id, 100, pair->self()}));
  EXPECT_EQ(queue_pairs(), before);
  const auto refused = hear<wire::RdmaRefused>();
  ASSERT_EQ(refused.size(), 1U);
  EXPECT_EQ(refused[0].lane, 100U);
  EXPECT_EQ(refused[0].code, Errc::shutdown);
  ASSERT_FALSE(say(wire::RdmaLaneEnd{id, 99}));
  EXPECT_EQ(queue_pairs(), before - 1) << "what nobody has looked at is let go, too";
}

// --- What it may have together -----------------------------------------------------------

TEST_F(RdmaHubTest, APeerHasItsShareOfQueuePairsAndIsRefusedFurtherConsumers) {
  allow(10, std::uint64_t{1} << 29U);
  const std::uint64_t before = queue_pairs();
  for (std::uint32_t n = 0; n < 12; ++n) ASSERT_FALSE(say(consumer(1001 + 2 * n)));
  EXPECT_EQ(queue_pairs() - before, 10U);
  const auto refused = hear<wire::RdmaRefused>();
  ASSERT_FALSE(refused.empty());
  EXPECT_EQ(refused.back().code, Errc::full);
  ASSERT_FALSE(say(wire::RdmaConsumerEnd{1001}));
  EXPECT_LT(queue_pairs() - before, 10U);
  ASSERT_FALSE(say(consumer(2001)));
  EXPECT_TRUE(hear<wire::RdmaRefused>().empty()) << "what it has let go it can have again";
}

TEST_F(RdmaHubTest, APeerHasItsShareOfPinnedMemory) {
  allow(200, std::uint64_t{8} << 20U);
  const std::uint64_t before = pinned();
  for (std::uint32_t n = 0; n < 100; ++n) ASSERT_FALSE(say(consumer(1001 + 2 * n, 8192)));
  EXPECT_LE(pinned() - before, std::uint64_t{8} << 20U);
  EXPECT_EQ(hear<wire::RdmaRefused>().back().code, Errc::no_memory);
}

TEST_F(RdmaHubTest, LanesToOurConsumersAreOfThePeersShare) {
  allow(5, std::uint64_t{1} << 29U);
  QuietOwner owner;
  const auto port = open(owner).value();
  const std::uint64_t before = queue_pairs();
  for (std::uint32_t n = 1; n <= 9; ++n) {
    ASSERT_FALSE(say(wire::RdmaLane{port->id(), n, pair->self()}));
  }
  EXPECT_EQ(queue_pairs() - before, 5U);
  EXPECT_EQ(hear<wire::RdmaRefused>().size(), 4U);
}

// --- Consumers that have ended -----------------------------------------------------------

TEST_F(RdmaHubTest, AConsumerThatWasRefusedLeavesNothing) {
  const std::uint64_t before = queue_pairs();
  for (int n = 0; n < 3; ++n) {
    QuietOwner owner;
    auto port = open(owner).value();
    hub().flush(machines.server.post);
    machines.link.fabric.fail_call(1, ENOMEM);  // Of the other side, which makes its end.
    machines.settle();
    EXPECT_TRUE(port->closed());
  }
  machines.settle();
  EXPECT_EQ(queue_pairs(), before);
  EXPECT_FALSE(machines.server.broken || machines.client.broken);
}

TEST_F(RdmaHubTest, AConsumerThatEndsUnheardOfLeavesNothingAndIsNotSpokenOf) {
  const std::uint64_t before = queue_pairs();
  machines.server.post.full = true;
  {
    const TestConsumer consumer(machines);
  }
  EXPECT_EQ(queue_pairs(), before);
  machines.server.post.full = false;
  EXPECT_TRUE(hear<wire::RdmaConsumer>().empty());
}

TEST_F(RdmaHubTest, SoManyConsumersThatThePeerWritesToThoughTheyHaveEndedAndNoMore) {
  const std::uint64_t before = queue_pairs();
  QuietOwner owner;
  std::vector<std::uint32_t> ended;
  for (int n = 0; n < 256; ++n) {
    const auto port = open(owner);
    ASSERT_TRUE(port) << n;
    ended.push_back(hear<wire::RdmaConsumer>().at(0).id);
  }
  EXPECT_EQ(open(owner).error().code, Errc::full);
  EXPECT_EQ(queue_pairs() - before, 256U);
  ASSERT_FALSE(say(wire::RdmaConsumerDone{ended[0]}));
  EXPECT_TRUE(open(owner));
}

// --- Letters -----------------------------------------------------------------------------

TEST_F(RdmaHubTest, APeerThatTakesNoLettersIsAnsweredALimitedNumberOfTimes) {
  machines.server.post.full = true;
  std::size_t rounds = 0;
  for (; rounds < 5000; ++rounds) {
    if (say(consumer(1001))) break;
    if (say(wire::RdmaConsumerEnd{1001})) break;
  }
  EXPECT_GT(rounds, 1024U);
  EXPECT_LT(rounds, 5000U);
  EXPECT_EQ(say(consumer(1003)), Errc::connection_reset);
}

}  // namespace
}  // namespace comch::transport::rdma
