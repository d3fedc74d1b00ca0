// Caller: what a client says after its call, with a key and without one, and those who say
// something else.
#include "transport/rdma/caller.h"

#include <gtest/gtest.h>

#include "support/bytes.h"
#include "support/encoded.h"
#include "support/log_lines.h"
#include "unit/transport/rdma/hand_client.h"
#include "unit/transport/rdma/parties.h"
#include "unit/transport/rdma/stranger.h"

namespace comch::transport::rdma {
namespace {

using test::bytes;
using test::HandClient;
using test::LogLines;
using test::RdmaClient;
using test::RdmaParties;
using test::RdmaServer;
using test::Stranger;

std::shared_ptr<const Key> key(std::string_view secret) {
  return Key::from_secret(bytes(secret)).value();
}

// Of a packet: behind the magic number.
constexpr std::size_t kVersionOffset = 4;

struct RdmaCallerTest : testing::Test, RdmaParties {
  void expect_refused(const RdmaClient& who, Errc code, const std::string& words) {
    run();
    ASSERT_TRUE(who.error) << "it was let in";
    EXPECT_EQ(who.error->code, code) << who.reason;
    EXPECT_NE(who.reason.find(words), std::string::npos) << who.reason;
    EXPECT_TRUE(server.ends.empty());
  }
  void expect_nothing_left() {
    EXPECT_EQ(fabric.counts(kServerHost).queue_pairs, 0U);
    EXPECT_TRUE(server.ends.empty());
  }
};

// --- What is said ------------------------------------------------------------------------

TEST_F(RdmaCallerTest, APacketOfALaterVersionIsRefusedWithAReasonThatBothEndsLog) {
  ASSERT_TRUE(listen(server));
  HandClient newer(fabric, kClientHost);
  newer.call(kServerHost, "echo");
  run();
  std::vector<std::byte> packet = wire::encoded(HandClient::hello("echo"));
  packet[kVersionOffset] = std::byte{2};
  const LogLines log;
  newer.send(PacketKind::kHandshake, packet);
  run();
  const auto refusal = newer.hear<wire::Refusal>();
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->code, Errc::unsupported_version);
  EXPECT_EQ(log.lines,
            std::vector<std::string>{"server echo: refused 10.0.0.1: " + refusal->reason});
  expect_nothing_left();
}

TEST_F(RdmaCallerTest, AFirstPacketThatIsNoHelloIsRefused) {
  ASSERT_TRUE(listen(server));
  for (const bool noise : {false, true}) {
    HandClient liar(fabric, kClientHost);
    liar.call(kServerHost, "echo");
    run();
    if (noise) {
      liar.send(PacketKind::kHandshake, bytes("noise"));
    } else {
      liar.say(wire::Proof{});
    }
    run();
    const auto refusal = liar.hear<wire::Refusal>();
    ASSERT_TRUE(refusal);
    EXPECT_EQ(refusal->code, Errc::connection_aborted);
    expect_nothing_left();
  }
}

TEST_F(RdmaCallerTest, AMessageBeforeTheHelloEndsTheHandshake) {
  ASSERT_TRUE(listen(server));
  HandClient hasty(fabric, kClientHost);
  hasty.call(kServerHost, "echo");
  run();
  hasty.send(PacketKind::kMessage, bytes("hello"));
  run();
  expect_nothing_left();
}

// --- The key -----------------------------------------------------------------------------

TEST_F(RdmaCallerTest, TwoThatHaveTheSameKeyAreConnected) {
  serving.key = key("the same long secret");
  calling.key = key("the same long secret");
  connect();
  ASSERT_TRUE(here().channel->send(bytes("hello")));
  EXPECT_EQ(there().take(), "hello");
}

TEST_F(RdmaCallerTest, AClientWithAnotherKeyIsNotLetIn) {
  serving.key = key("the same long secret");
  calling.key = key("another long secret.");
  ASSERT_TRUE(listen(server));
  call(client);
  expect_refused(client, Errc::authentication, "the server's key is not this device's");
}

TEST_F(RdmaCallerTest, AClientWithoutAKeyIsToldThatOneIsAskedFor) {
  serving.key = key("the same long secret");
  ASSERT_TRUE(listen(server));
  call(client);
  expect_refused(client, Errc::authentication, "asks for a pre-shared key");
}

TEST_F(RdmaCallerTest, AServerWithoutAKeyIsNotTrustedByWhoAsksForOne) {
  calling.key = key("the same long secret");
  ASSERT_TRUE(listen(server));
  call(client);
  expect_refused(client, Errc::authentication, "shows no pre-shared key");
}

// At the first port of the name is a server of this name for other machines: it proves that it has
// the key, and says no.
struct RdmaNextPortTest : RdmaCallerTest {
  RdmaNextPortTest() {
    serving.key = calling.key = key("the same long secret");
    other.refusal = Refusal{Errc::authentication, "this machine is not meant"};
    EXPECT_TRUE(listen(other));
  }
  RdmaServer other;
};

TEST_F(RdmaNextPortTest, TheServerAtTheNextPortProvesItsKeyAnew) {
  representor = "ours";
  connect();
  EXPECT_TRUE(other.ends.empty());
}

TEST_F(RdmaNextPortTest, WhatOneServerHasProvenIsNotProvenByTheNext) {
  Stranger thief(fabric, reactor, kServerHost,
                 {.port = 1, .with = wire::encoded(wire::Answer{.wants_key = true})});
  call(client);
  run();
  ASSERT_TRUE(thief.has_caller());
  thief.say(
      wire::RemoteWelcome{.recv_queue_size = 64, .window = 64, .connection_id = 1, .process = {}});
  expect_refused(client, Errc::connection_aborted, "not a handshake");
}

TEST_F(RdmaCallerTest, WhatAClientHasSaidIsHeardByAServerThatIsLateItself) {
  ASSERT_TRUE(listen(server));
  HandClient hand(fabric, kClientHost);
  hand.call(kServerHost, "echo");
  run();
  hand.say(HandClient::hello("echo"));
  reactor.pass(5'000'000'000);
  EXPECT_EQ(server.ends.size(), 1U);
}

TEST_F(RdmaCallerTest, AWrongProofIsRefusedWithAReason) {
  serving.key = key("the same long secret");
  ASSERT_TRUE(listen(server));
  HandClient guesser(fabric, kClientHost);
  greet(guesser, guesser.hello("echo"));
  ASSERT_TRUE(guesser.hear<wire::Challenge>());
  guesser.say(wire::Proof{});
  run();
  const auto refusal = guesser.hear<wire::Refusal>();
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->code, Errc::authentication);
  EXPECT_NE(refusal->reason.find("key"), std::string::npos);
  EXPECT_TRUE(server.ends.empty());
}

TEST_F(RdmaCallerTest, WhoHasProvenNothingPinsNextToNothing) {
  serving.key = key("the same long secret");
  ASSERT_TRUE(listen(server));
  HandClient stranger(fabric, kClientHost);
  greet(stranger, HandClient::hello("echo"));
  ASSERT_TRUE(stranger.hear<wire::Challenge>());
  EXPECT_LT(fabric.counts(kServerHost).region_bytes, 2560U);
}

TEST_F(RdmaCallerTest, AProofCannotBeLeftOut) {
  serving.key = key("the same long secret");
  ASSERT_TRUE(listen(server));
  HandClient impatient(fabric, kClientHost);
  impatient.call(kServerHost, "echo");
  run();
  impatient.say(impatient.hello("echo"));
  impatient.say(impatient.hello("echo"));
  run();
  EXPECT_FALSE(impatient.hear<wire::RemoteWelcome>());
  EXPECT_TRUE(server.ends.empty());
}

// Everything that an honest client said is said once more, byte for byte.
TEST_F(RdmaCallerTest, AHandshakeThatIsReplayedFails) {
  serving.key = key("the same long secret");
  ASSERT_TRUE(listen(server));
  HandClient honest(fabric, kClientHost);
  const wire::RemoteHello hello = honest.hello("echo");
  const std::vector<std::byte> said = greet(honest, hello);
  const auto challenge = honest.hear<wire::Challenge>();
  ASSERT_TRUE(challenge);
  std::vector<std::byte> transcript = honest.call_bytes();
  transcript.insert(transcript.end(), said.begin(), said.end());
  transcript.insert(transcript.end(), challenge->nonce.begin(), challenge->nonce.end());
  EXPECT_TRUE(serving.key->holds(KeyRole::kServer, transcript, challenge->proof));
  const wire::Proof proof{serving.key->prove(KeyRole::kClient, transcript)};
  honest.say(proof);
  run();
  ASSERT_TRUE(honest.hear<wire::RemoteWelcome>());
  ASSERT_EQ(server.ends.size(), 1U);

  HandClient replayer(fabric, kClientHost);
  greet(replayer, hello);
  const auto fresh = replayer.hear<wire::Challenge>();
  ASSERT_TRUE(fresh);
  EXPECT_NE(fresh->nonce, challenge->nonce);
  replayer.say(proof);
  run();
  EXPECT_FALSE(replayer.hear<wire::RemoteWelcome>());
  EXPECT_EQ(server.ends.size(), 1U);
}

TEST_F(RdmaCallerTest, TheServersOwnProofIsNoClientsProof) {
  serving.key = key("the same long secret");
  ASSERT_TRUE(listen(server));
  HandClient mirror(fabric, kClientHost);
  greet(mirror, mirror.hello("echo"));
  const auto challenge = mirror.hear<wire::Challenge>();
  ASSERT_TRUE(challenge);
  mirror.say(wire::Proof{challenge->proof});
  run();
  EXPECT_TRUE(mirror.hear<wire::Refusal>());
  EXPECT_TRUE(server.ends.empty());
}

}  // namespace
}  // namespace comch::transport::rdma
