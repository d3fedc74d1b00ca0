// RdmaChannel: a connection's control path, over machines that are not there.
#include "transport/rdma/channel.h"

#include <gtest/gtest.h>

#include "support/bytes.h"
#include "unit/transport/rdma/parties.h"

namespace comch::transport::rdma {
namespace {

using test::bytes;
using test::FakeFabric;
using test::RdmaParties;

struct RdmaChannelTest : testing::Test, RdmaParties {
  FakeFabric::Counts client_counts() const { return fabric.counts(kClientHost); }
  FakeFabric::Counts server_counts() const { return fabric.counts(kServerHost); }
};

TEST_F(RdmaChannelTest, AMessageArrivesAsItWasSent) {
  connect();
  ASSERT_TRUE(here().channel->send(bytes("hello")));
  EXPECT_TRUE(there().channel->has_message());
  EXPECT_EQ(there().take(), "hello");
  EXPECT_EQ(there().take(), std::nullopt);
  ASSERT_TRUE(there().channel->send(bytes("yes?")));
  EXPECT_EQ(here().take(), "yes?");
}

TEST_F(RdmaChannelTest, MessagesOfEveryLengthArriveInOrder) {
  connect();
  for (std::size_t size = 0; size <= message_size; size += 255) {
    const std::string text(size, static_cast<char>('a' + size % 26));
    ASSERT_TRUE(here().channel->send(bytes(text)));
    ASSERT_EQ(there().take(), text);
  }
}

TEST_F(RdmaChannelTest, AMessageIsDeliveredOnceThePeersDeviceHasIt) {
  connect();
  EXPECT_TRUE(here().channel->confirms_later());
  fabric.hold();
  ASSERT_TRUE(here().channel->send(bytes("one")));
  ASSERT_TRUE(here().channel->send(bytes("two")));
  EXPECT_EQ(here().channel->delivered(), 0U);
  fabric.deliver(1);
  EXPECT_EQ(here().channel->delivered(), 1U);
  fabric.release();
  EXPECT_EQ(here().channel->delivered(), 2U);
  EXPECT_EQ(there().take(), "one");
}

TEST_F(RdmaChannelTest, AMessageArrivedWhenItsCompletionWasFoundNotWhenItIsLookedAt) {
  connect();
  for (const char* text : {"one", "two"}) ASSERT_TRUE(here().channel->send(bytes(text)));
  EXPECT_TRUE(there().channel->has_message());
  const std::uint64_t found = reactor.now_ns();
  reactor.pass(1000);
  ASSERT_TRUE(here().channel->send(bytes("three")));
  for (const char* text : {"one", "two"}) {
    EXPECT_TRUE(there().channel->look());
    EXPECT_EQ(there().channel->arrival(), found);
    EXPECT_EQ(there().take(), text);
  }
  EXPECT_TRUE(there().channel->look());
  EXPECT_EQ(there().channel->arrival(), found + 1000);
}

TEST_F(RdmaChannelTest, AFullQueueHoldsTheSenderBackUntilThePeerTakes) {
  queue = 4;
  connect();
  for (int n = 0; n < 4; ++n) ASSERT_TRUE(here().channel->send(bytes("x")));
  EXPECT_FALSE(here().channel->has_room(1));
  EXPECT_EQ(here().channel->send(bytes("x")).error().code, Errc::again);
  EXPECT_TRUE(there().take());
  EXPECT_TRUE(there().take());
  EXPECT_TRUE(here().channel->has_room(1));
  EXPECT_TRUE(here().channel->send(bytes("x")));
}

TEST_F(RdmaChannelTest, AQueueOfOneMessageWorks) {
  queue = 1;
  connect();
  for (int n = 0; n < 100; ++n) {
    ASSERT_TRUE(here().channel->send(bytes("x"))) << n;
    ASSERT_EQ(there().take(), "x");
  }
}

TEST_F(RdmaChannelTest, NoMessageEverWaitsForAReceive) {
  queue = 8;
  connect();
  for (int n = 0; n < 1000; ++n) {
    while (here().channel->send(bytes("message"))) {
    }
    while (there().take()) {
    }
    if (n % 3 == 0) {
      ASSERT_TRUE(there().channel->send(bytes("answer")));
    }
    while (here().take()) {
    }
  }
  EXPECT_EQ(client_counts().not_ready, 0U);
  EXPECT_EQ(server_counts().not_ready, 0U);
}

TEST_F(RdmaChannelTest, CreditsRideOnAnswers) {
  connect();
  fabric.reset_counts();
  for (int n = 0; n < 1000; ++n) {
    ASSERT_TRUE(here().channel->send(bytes("question")));
    ASSERT_TRUE(there().take());
    ASSERT_TRUE(there().channel->send(bytes("answer")));
    ASSERT_TRUE(here().take());
  }
  EXPECT_EQ(client_counts().work_requests, 1000U) << "and none for credits alone";
  EXPECT_EQ(server_counts().work_requests, 1000U);
}

TEST_F(RdmaChannelTest, CreditsOfAOneWayStreamAreAmortised) {
  connect();
  fabric.reset_counts();
  for (int n = 0; n < 1000; ++n) {
    ASSERT_TRUE(here().channel->send(bytes("news")));
    ASSERT_TRUE(there().take());
  }
  EXPECT_EQ(client_counts().work_requests, 1000U + server_counts().work_requests / 2);
  EXPECT_LE(server_counts().work_requests, 1000U * 2 / queue + 1);
}

TEST_F(RdmaChannelTest, AnOrderlyEndComesBehindAllThatWasSent) {
  connect();
  ASSERT_TRUE(here().channel->send(bytes("last")));
  here().goodbye();
  run();
  EXPECT_EQ(there().channel->peer_state(), PeerState::kOrderly);
  EXPECT_EQ(there().ends, 1);
  EXPECT_EQ(there().take(), "last");
}

// An acknowledgement gets lost, and whoever would have given another is gone.
TEST_F(RdmaChannelTest, WhatThePeerHasTakenIsDeliveredThoughItsAcknowledgementIsLost) {
  connect();
  ASSERT_TRUE(here().channel->send(bytes("first")));
  fabric.lose_acknowledgements(1);
  ASSERT_TRUE(here().channel->send(bytes("taken")));
  EXPECT_EQ(there().take(), "first");
  EXPECT_TRUE(there().channel->look());
  there().channel->pop();
  EXPECT_EQ(here().channel->delivered(), 1U);
  there().goodbye();
  run();
  EXPECT_EQ(here().channel->peer_state(), PeerState::kOrderly);
  EXPECT_EQ(here().channel->delivered(), 2U);
}

TEST_F(RdmaChannelTest, WhatThePeerHasNotTakenIsNotDeliveredBeforeItIsAcknowledged) {
  connect();
  fabric.lose_acknowledgements(1);
  ASSERT_TRUE(here().channel->send(bytes("left")));
  ASSERT_TRUE(there().channel->send(bytes("meanwhile")));
  EXPECT_EQ(here().take(), "meanwhile");
  EXPECT_EQ(here().channel->delivered(), 0U);
  fabric.time_out();
  EXPECT_EQ(here().channel->delivered(), 1U) << "its device has asked again";
}

TEST_F(RdmaChannelTest, TheGoodbyeIsWaitedFor) {
  connect();
  fabric.hold();
  EXPECT_FALSE(here().channel->settle());
  EXPECT_FALSE(here().channel->settle());
  fabric.release();
  EXPECT_TRUE(here().channel->settle());
}

TEST_F(RdmaChannelTest, AnEndWithoutAGoodbyeIsALossAndNothingBeforeItIsLost) {
  connect();
  ASSERT_TRUE(here().channel->send(bytes("last")));
  here().channel->close(false);
  run();
  EXPECT_EQ(there().channel->peer_state(), PeerState::kLost);
  EXPECT_EQ(there().ends, 1);
  EXPECT_EQ(there().take(), "last");
  EXPECT_EQ(there().channel->send(bytes("x")).error().code, Errc::connection_reset);
}

TEST_F(RdmaChannelTest, ASendThatFailsIsALoss) {
  connect();
  fabric.fail_work_request(1, CompletionStatus::kRetryExceeded);
  ASSERT_TRUE(here().channel->send(bytes("x")));
  EXPECT_EQ(here().channel->delivered(), 0U);
  run();
  EXPECT_EQ(here().channel->peer_state(), PeerState::kLost);
  EXPECT_EQ(here().ends, 1);
}

TEST_F(RdmaChannelTest, AHostThatVanishesIsMissedWithinTheKeepalive) {
  connect();
  fabric.kill_host(kServerHost);
  reactor.pass(calling.keepalive_ns / 2);
  EXPECT_EQ(here().channel->peer_state(), PeerState::kOpen);
  reactor.pass(calling.keepalive_ns / 2);
  EXPECT_EQ(here().channel->peer_state(), PeerState::kLost);
  EXPECT_EQ(here().ends, 1);
}

TEST_F(RdmaChannelTest, AProbeThatFailsIsALossAtOnce) {
  connect();
  here().channel->arm(false, false);
  fabric.kill_host(kServerHost);
  reactor.pass(calling.keepalive_ns / 2);
  fabric.time_out();
  run();
  EXPECT_EQ(here().channel->peer_state(), PeerState::kLost);
}

TEST_F(RdmaChannelTest, AQuietPeerIsKept) {
  connect();
  for (int n = 0; n < 20; ++n) {
    reactor.pass(calling.keepalive_ns / 2);
    run();
  }
  EXPECT_EQ(here().channel->peer_state(), PeerState::kOpen);
  EXPECT_EQ(there().channel->peer_state(), PeerState::kOpen);
  EXPECT_EQ(server_counts().not_ready, 0U) << "a probe needs no receive";
}

TEST_F(RdmaChannelTest, WhoSleepsIsWokenByAMessageOnce) {
  connect();
  run();
  there().wakes = 0;
  EXPECT_FALSE(there().channel->arm(true, false));
  ASSERT_TRUE(here().channel->send(bytes("x")));
  run();
  EXPECT_EQ(there().wakes, 1);
  EXPECT_TRUE(there().take());
  ASSERT_TRUE(here().channel->send(bytes("x")));
  run();
  EXPECT_EQ(there().wakes, 1) << "nobody asked to be woken";
}

TEST_F(RdmaChannelTest, WhatCameBeforeSleepingIsSeen) {
  connect();
  ASSERT_TRUE(here().channel->send(bytes("x")));
  there().channel->arm(true, false);
  EXPECT_TRUE(there().channel->has_message());
}

TEST_F(RdmaChannelTest, ADeviceThatIsGoneIsALoss) {
  connect();
  fabric.device_gone(kClientHost);
  run();
  EXPECT_EQ(here().channel->peer_state(), PeerState::kLost);
}

TEST_F(RdmaChannelTest, TheFastPathIsMadeWhenItIsAskedForAndNotAfterTheEnd) {
  connect();
  EXPECT_EQ(here().channel->fast_path_if_any(), nullptr);
  ASSERT_TRUE(here().channel->fast_path());
  EXPECT_NE(here().channel->fast_path_if_any(), nullptr);
  here().channel->close(false);
  run();
  EXPECT_EQ(there().channel->fast_path().error().code, Errc::connection_reset);
}

TEST_F(RdmaChannelTest, ThereIsNoFastPathToWhoHasLeftUnheard) {
  connect();
  there().channel->close(false);
  EXPECT_EQ(here().ends, 0);
  EXPECT_EQ(here().channel->fast_path().error().code, Errc::connection_reset);
}

TEST_F(RdmaChannelTest, ALetterThatNoCorrectPeerWritesEndsTheConnection) {
  connect();
  there().channel->arm(false, false);
  ASSERT_TRUE(dynamic_cast<RdmaChannel&>(*here().channel).send_letter(bytes("nonsense")));
  run();
  EXPECT_EQ(there().channel->peer_state(), PeerState::kLost);
  EXPECT_EQ(there().ends, 1);
}

}  // namespace
}  // namespace comch::transport::rdma
