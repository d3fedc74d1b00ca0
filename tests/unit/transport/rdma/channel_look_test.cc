// RdmaChannel: who looks for messages in the middle of being told of something else.
#include <gtest/gtest.h>

#include <vector>

#include "support/bytes.h"
#include "transport/rdma/channel.h"
#include "transport/rdma/consumer_port.h"
#include "unit/transport/rdma/parties.h"

namespace comch::transport::rdma {
namespace {

// The client has consumers, of which the server's channel tells.
struct RdmaChannelLookTest : testing::Test, test::RdmaParties, ConsumerPortOwner {
  RdmaChannelLookTest() {
    connect();
    hub = std::dynamic_pointer_cast<Hub>(here().channel->fast_path().value());
    there().then_consumer = [this](std::uint32_t id, bool appeared) {
      EXPECT_FALSE(telling) << "in the middle of another call";
      telling = true;
      EXPECT_FALSE(there().channel->look());
      telling = false;
      (appeared ? come : gone).push_back(id);
    };
  }

  void begin_consumer() {
    ports.push_back(
        ConsumerPort::open(reactor, hub, {.depth = 4, .immediate_max = 0, .map = &life}, *this)
            .value());
    ids.push_back(ports.back()->id());
  }
  // As engines do that fall asleep again and again.
  void settle() {
    for (int n = 0; n < 20; ++n) {
      here().channel->arm(true, false);
      there().channel->arm(true, false);
      run();
    }
  }
  void expect_peace() {
    EXPECT_EQ(there().channel->peer_state(), PeerState::kOpen) << "nobody did anything wrong";
    EXPECT_EQ(here().channel->peer_state(), PeerState::kOpen);
    EXPECT_EQ(there().ends, 0);
    EXPECT_EQ(lost, 0);
  }

  void on_accepted() override {}
  void on_wake() override {}
  void on_lost(const Error& /*error*/) override { ++lost; }

  std::shared_ptr<Hub> hub;
  std::vector<std::byte> memory = std::vector<std::byte>(4096);
  MapLife life{memory};
  std::vector<std::unique_ptr<ConsumerPort>> ports;
  std::vector<std::uint32_t> ids;
  std::vector<std::uint32_t> come;
  std::vector<std::uint32_t> gone;
  int lost = 0;
  bool telling = false;
};

TEST_F(RdmaChannelLookTest, WhoIsToldOfAConsumerIsToldOfItOnce) {
  begin_consumer();
  settle();
  EXPECT_EQ(come, ids);
  expect_peace();
  ports.clear();
  settle();
  EXPECT_EQ(gone, ids);
  expect_peace();
}

TEST_F(RdmaChannelLookTest, WhoLooksWhileSeveralConsumersComeAndGoIsToldOfEachInOrder) {
  for (int n = 0; n < 3; ++n) begin_consumer();
  settle();
  EXPECT_EQ(come, ids);
  ports.clear();
  settle();
  EXPECT_EQ(gone, ids);
  expect_peace();
}

TEST_F(RdmaChannelLookTest, AMessageThatCameWithTheLettersIsFoundByTheLook) {
  there().then_consumer = [this](std::uint32_t id, bool) {
    come.push_back(id);
    EXPECT_EQ(there().take(), "hello");
  };
  begin_consumer();
  ASSERT_TRUE(here().channel->send(test::bytes("hello")));
  settle();
  EXPECT_EQ(come, ids);
  expect_peace();
}

TEST_F(RdmaChannelLookTest, WhoLooksWhenThePeerHasEndedIsToldOfThatOnce) {
  there().then_consumer = [this](std::uint32_t id, bool appeared) {
    if (appeared) return come.push_back(id);
    EXPECT_FALSE(there().channel->look());
    gone.push_back(id);
  };
  begin_consumer();
  settle();
  here().goodbye();
  run();
  EXPECT_EQ(gone, ids);
  EXPECT_EQ(there().ends, 1);
  EXPECT_EQ(there().channel->peer_state(), PeerState::kOrderly);
}

}  // namespace
}  // namespace comch::transport::rdma
