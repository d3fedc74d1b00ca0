// EventHub: who hears of what.
#include "transport/rdma/event_hub.h"

#include <gtest/gtest.h>

#include "support/fake_verbs.h"
#include "unit/transport/shm/fake_reactor.h"

namespace comch::transport::rdma {
namespace {

struct Listening final : IdOwner {
  void on_event(Event& event) override { heard.push_back(event.kind); }
  std::vector<EventKind> heard;
};

struct RdmaEventHubTest : testing::Test {
  test::FakeReactor reactor;
  test::FakeFabric fabric;
  Verbs& verbs = fabric.host("10.0.0.1");
};

TEST_F(RdmaEventHubTest, AnEventIsToldToTheOwnerOfItsId) {
  const auto hub = EventHub::create(verbs, reactor).value();
  Listening one;
  Listening other;
  const auto id = hub->make_id(one).value();
  const auto second = hub->make_id(other).value();
  ASSERT_TRUE(id->resolve_address(std::nullopt, *Address::parse("10.0.0.1"), 100));
  EXPECT_TRUE(reactor.turn());
  EXPECT_EQ(one.heard, std::vector{EventKind::kAddressResolved});
  EXPECT_TRUE(other.heard.empty());
}

TEST_F(RdmaEventHubTest, AnIdThatIsForgottenIsHeardOfNoMore) {
  const auto hub = EventHub::create(verbs, reactor).value();
  Listening owner;
  const auto id = hub->make_id(owner).value();
  hub->forget(*id);
  ASSERT_TRUE(id->resolve_address(std::nullopt, *Address::parse("10.0.0.1"), 100));
  EXPECT_TRUE(reactor.turn());
  EXPECT_TRUE(owner.heard.empty());
}

TEST_F(RdmaEventHubTest, AnOwnerMayLetTheHubGo) {
  struct Quitter final : IdOwner {
    void on_event(Event& /*event*/) override {
      id.reset();
      hub.reset();
    }
    std::shared_ptr<EventHub> hub;
    std::unique_ptr<Id> id;
  } quitter;
  quitter.hub = EventHub::create(verbs, reactor).value();
  quitter.id = quitter.hub->make_id(quitter).value();
  ASSERT_TRUE(quitter.id->resolve_address(std::nullopt, *Address::parse("10.0.0.1"), 100));
  EXPECT_TRUE(reactor.turn());
  EXPECT_FALSE(quitter.hub);
}

TEST_F(RdmaEventHubTest, AChannelThatFailsOnceIsReadAgain) {
  const auto hub = EventHub::create(verbs, reactor).value();
  Listening owner;
  const auto id = hub->make_id(owner).value();
  ASSERT_TRUE(id->resolve_address(std::nullopt, *Address::parse("10.0.0.1"), 100));
  fabric.fail_call(1, 5);
  EXPECT_TRUE(reactor.turn());
  EXPECT_TRUE(owner.heard.empty());
  EXPECT_TRUE(reactor.turn());
  EXPECT_EQ(owner.heard.size(), 1U);
}

}  // namespace
}  // namespace comch::transport::rdma
