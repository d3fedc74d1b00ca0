// ControlLink: packets with credits, and a peer that does not keep to them.
#include "transport/rdma/control_link.h"

#include <gtest/gtest.h>

#include <cstring>
#include <tuple>

#include "support/fake_link.h"
#include "unit/transport/shm/fake_reactor.h"

namespace comch::transport::rdma {
namespace {

using test::FakeEnd;
using test::FakeFabric;
using test::FakeReactor;

struct Owner final : ControlLinkOwner {
  void on_ready() override { ++ready; }
  void on_event(Event& event) override { events.push_back(event.kind); }
  int ready = 0;
  std::vector<EventKind> events;
};

// A link on "10.0.0.2", and a bare queue pair on "10.0.0.1" that plays its peer.
struct RdmaControlLinkTest : testing::Test {
  static constexpr std::uint32_t kMessage = 100;
  static constexpr std::uint32_t kWindow = 4;

  RdmaControlLinkTest() {
    server_hub = EventHub::create(fabric.host("10.0.0.2"), reactor).value();
    listening = server_hub->make_id(acceptor).value();
    Address any;
    any.port = 7;
    listening->listen(any, 1).value();
    peer.events = fabric.host("10.0.0.1").make_event_channel().value();
    peer.id = peer.events->make_id().value();
    Address there = *Address::parse("10.0.0.2");
    there.port = 7;
    peer.id->resolve_address(std::nullopt, there, 100).value();
    peer.next();
    peer.id->resolve_route(100).value();
    peer.next();
    peer.equip(64);
    peer.id->connect({}, {}).value();
    reactor.turn();
    link = ControlLink::create(reactor, server_hub, std::move(acceptor.incoming),
                               {kMessage, kWindow}, owner, 0)
               .value();
    link->id().accept({}, {}).value();
    reactor.turn();
    link->set_peer_window(kWindow);
  }

  struct Acceptor final : IdOwner {
    void on_event(Event& event) override { incoming = std::move(event.incoming); }
    std::unique_ptr<Id> incoming;
  };

  // The peer sends a packet, honest or not.
  void say(const PacketHeader& header, std::size_t body = 0) {
    std::array<std::byte, kPacketHeader> head;
    write(header, head);
    say(head, body);
  }
  void say(std::span<const std::byte> head, std::size_t body) {
    std::byte* const at = peer.memory.data() + 2048;
    std::memset(at, 0, 1024);
    std::memcpy(at, head.data(), head.size());
    SendRequest request{.id = 1, .signalled = true, .segment_count = 1};
    request.segments[0] = {at, static_cast<std::uint32_t>(head.size() + body),
                           peer.region->local_key};
    std::size_t posted = 0;
    ASSERT_TRUE(peer.queue_pair->post(std::span(&request, 1), posted));
    link->pump();
  }
  void post_receives(int count) {
    const ReceiveRequest request{.id = 9,
                                 .segment = {peer.memory.data(), 1024, peer.region->local_key}};
    for (int n = 0; n < count; ++n) {
      ASSERT_TRUE(peer.queue_pair->post(std::span(&request, 1)));
    }
  }
  void expect_liar(std::string_view what) {
    ASSERT_TRUE(link->broken());
    EXPECT_TRUE(link->broken()->by_peer);
    EXPECT_NE(link->broken()->what.find(what), std::string_view::npos) << link->broken()->what;
    EXPECT_EQ(link->send(PacketKind::kMessage, {}).error().code, Errc::connection_reset);
  }

  FakeReactor reactor;
  FakeFabric fabric;
  Acceptor acceptor;
  std::shared_ptr<EventHub> server_hub;
  std::unique_ptr<Id> listening;
  FakeEnd peer;
  Owner owner;
  std::unique_ptr<ControlLink> link;
};

TEST_F(RdmaControlLinkTest, PacketsOfAClassComeInOrderAndWaitForNoOther) {
  say({.kind = PacketKind::kMessage, .freed = {}}, 3);
  say({.kind = PacketKind::kLetter, .freed = {}}, 5);
  say({.kind = PacketKind::kMessage, .freed = {}}, 4);
  EXPECT_EQ(link->front(PacketClass::kLetters)->size(), 5U);
  EXPECT_EQ(link->front(PacketClass::kMessages)->size(), 3U);
  link->pop(PacketClass::kMessages);
  EXPECT_EQ(link->front(PacketClass::kMessages)->size(), 4U);
  EXPECT_FALSE(link->broken());
}

TEST_F(RdmaControlLinkTest, MessagesThatNobodyTakesHoldNoLetterUp) {
  for (std::uint32_t n = 0; n < kWindow; ++n) say({.kind = PacketKind::kMessage, .freed = {}}, 1);
  post_receives(10);
  for (std::uint32_t n = 0; n < 2 * kLetterWindow; ++n) {
    say({.kind = PacketKind::kLetter, .freed = {}}, 1);
    ASSERT_TRUE(link->has(PacketClass::kLetters));
    link->pop(PacketClass::kLetters);
    link->flush();
  }
  EXPECT_FALSE(link->broken());
  EXPECT_EQ(fabric.counts("10.0.0.2").not_ready, 0U);
}

TEST_F(RdmaControlLinkTest, APeerThatSendsMoreThanItsCreditsIsFoundOut) {
  for (std::uint32_t n = 0; n < kWindow; ++n) say({.kind = PacketKind::kMessage, .freed = {}}, 1);
  EXPECT_FALSE(link->broken());
  say({.kind = PacketKind::kMessage, .freed = {}}, 1);
  expect_liar("more packets than it has credits for");
}

TEST_F(RdmaControlLinkTest, APeerThatFreesWhatWasNeverSentIsFoundOut) {
  say({.kind = PacketKind::kCredit, .freed = {1, 0, 0}});
  expect_liar("credits that it does not have");
}

TEST_F(RdmaControlLinkTest, APeerThatTakesCreditsBackIsFoundOut) {
  post_receives(4);
  ASSERT_TRUE(link->send(PacketKind::kLetter, {}));
  say({.kind = PacketKind::kCredit, .freed = {0, 1, 0}});
  EXPECT_FALSE(link->broken());
  say({.kind = PacketKind::kCredit, .freed = {0, 0, 0}});
  expect_liar("credits that it does not have");
}

TEST_F(RdmaControlLinkTest, APacketThatIsNoneIsFoundOut) {
  const std::array<std::byte, 3> stump{};
  say(stump, 0);
  expect_liar("a packet that is none");
}

TEST_F(RdmaControlLinkTest, AKindThatIsNoneIsFoundOut) {
  std::array<std::byte, kPacketHeader> head{};
  head[0] = std::byte{99};
  say(head, 0);
  expect_liar("a packet that is none");
}

TEST_F(RdmaControlLinkTest, AMessageLongerThanAgreedIsFoundOut) {
  say({.kind = PacketKind::kMessage, .freed = {}}, kMessage + 1);
  expect_liar("longer than agreed");
}

TEST_F(RdmaControlLinkTest, APacketLongerThanItsReceiveBreaksTheConnection) {
  say({.kind = PacketKind::kMessage, .freed = {}}, 1000);
  ASSERT_TRUE(link->broken());
  EXPECT_FALSE(link->has(PacketClass::kMessages));
}

TEST_F(RdmaControlLinkTest, WhatCameBeforeTheNonsenseIsStillThere) {
  say({.kind = PacketKind::kMessage, .freed = {}}, 3);
  say({.kind = PacketKind::kCredit, .freed = {1, 1, 1}});
  ASSERT_TRUE(link->broken());
  EXPECT_TRUE(link->has(PacketClass::kMessages));
}

TEST_F(RdmaControlLinkTest, CreditsAloneAreNoNews) {
  say({.kind = PacketKind::kCredit, .freed = {}});
  EXPECT_FALSE(link->has(PacketClass::kControl));
  EXPECT_FALSE(link->broken());
}

TEST_F(RdmaControlLinkTest, SendingStopsWithTheLastCreditAndGoesOnWithTheNext) {
  post_receives(40);
  for (std::uint32_t n = 0; n < kWindow; ++n) {
    ASSERT_TRUE(link->send(PacketKind::kMessage, {}));
  }
  EXPECT_FALSE(link->can_send(PacketKind::kMessage));
  EXPECT_TRUE(link->can_send(PacketKind::kLetter));
  EXPECT_EQ(link->send(PacketKind::kMessage, {}).error().code, Errc::again);
  say({.kind = PacketKind::kCredit, .freed = {1, 0, 0}});
  EXPECT_TRUE(link->send(PacketKind::kMessage, {}));
}

TEST_F(RdmaControlLinkTest, TheLastControlCreditIsKeptForTellingOfControlCredits) {
  post_receives(40);
  for (std::uint32_t n = 0; n + 1 < kControlWindow; ++n) {
    ASSERT_TRUE(link->send(PacketKind::kCredit, {})) << n;
  }
  EXPECT_FALSE(link->can_send(PacketKind::kCredit));
  EXPECT_TRUE(link->can_send(PacketKind::kGoodbye));
}

TEST_F(RdmaControlLinkTest, ABodyThatDoesNotFitIsTheCallersMistake) {
  const std::vector<std::byte> body(4096);
  EXPECT_EQ(link->send(PacketKind::kMessage, body).error().code, Errc::too_big);
  EXPECT_FALSE(link->broken());
}

TEST_F(RdmaControlLinkTest, AProbeNeedsNoCreditAndNoReceive) {
  ASSERT_TRUE(link->probe());
  EXPECT_EQ(link->posted(), link->completed() + 1);
  EXPECT_TRUE(link->pump());
  EXPECT_EQ(link->posted(), link->completed());
  EXPECT_EQ(fabric.counts("10.0.0.1").not_ready, 0U);
}

TEST_F(RdmaControlLinkTest, ALinkThatGoesSaysFarewell) {
  link.reset();
  EXPECT_EQ(peer.next().kind, EventKind::kEstablished);
  EXPECT_EQ(peer.next().kind, EventKind::kDisconnected);
  EXPECT_EQ(fabric.counts("10.0.0.2").regions, 0U);
}

}  // namespace
}  // namespace comch::transport::rdma
