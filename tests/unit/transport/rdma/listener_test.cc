// RdmaListener: who is let in, and what becomes of those who are not what they should be.
#include "transport/rdma/listener.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <map>

#include "support/bytes.h"
#include "support/encoded.h"
#include "support/log_lines.h"
#include "transport/rdma/connector.h"
#include "transport/rdma/server_port.h"
#include "unit/transport/rdma/hand_client.h"
#include "unit/transport/rdma/parties.h"

namespace comch::transport::rdma {
namespace {

using test::bytes;
using test::HandClient;
using test::LogLines;
using test::RdmaClient;
using test::RdmaParties;
using test::RdmaServer;

struct RdmaListenerTest : testing::Test, RdmaParties {
  // The client is refused with this code, and a reason that has these words.
  void expect_refused(RdmaClient& who, Errc code, const std::string& words) {
    run();
    ASSERT_TRUE(who.error) << "it was let in";
    EXPECT_EQ(who.error->code, code) << who.reason;
    EXPECT_NE(who.reason.find(words), std::string::npos) << who.reason;
    EXPECT_TRUE(server.ends.empty());
  }
  // An honest client is still served.
  void expect_serving() {
    RdmaClient honest;
    call(honest);
    run();
    EXPECT_TRUE(honest.connected()) << honest.reason;
    honest.end.channel.reset();
    run();
  }
  // Nothing of a caller that went wrong is left.
  void expect_nothing_left() {
    EXPECT_EQ(fabric.counts(kServerHost).queue_pairs, 0U);
    EXPECT_EQ(fabric.counts(kServerHost).regions, 0U);
    EXPECT_TRUE(server.ends.empty());
  }
};

// --- Names and places --------------------------------------------------------------------

TEST_F(RdmaListenerTest, ANameIsServedOnceAndFreeAgainWhenItsServerIsClosed) {
  ASSERT_TRUE(listen(server));
  RdmaServer second;
  EXPECT_EQ(listen(second).error().code, Errc::already_exist);
  server.listener->close();
  EXPECT_TRUE(listen(second));
}

TEST_F(RdmaListenerTest, ServersOfManyNamesAreToldApart) {
  std::vector<std::unique_ptr<RdmaServer>> servers;
  for (int n = 0; n < 20; ++n) {
    servers.push_back(std::make_unique<RdmaServer>());
    ASSERT_TRUE(listen(*servers.back(), "server" + std::to_string(n)));
  }
  for (int n = 0; n < 20; ++n) {
    RdmaClient one;
    call(one, "server" + std::to_string(n));
    run();
    ASSERT_TRUE(one.connected()) << one.reason;
    EXPECT_EQ(servers[static_cast<std::size_t>(n)]->ends.size(), 1U);
    one.end.channel.reset();
    run();
  }
}

// Whichever came first has the port of both.
TEST_F(RdmaListenerTest, TwoServersOfOneMachineWhoseNamesCollideAreBothReached) {
  std::map<std::uint16_t, std::string> names;
  std::string first;
  std::string second;
  for (int n = 0; first.empty(); ++n) {
    second = "name" + std::to_string(n);
    const auto [at, fresh] = names.emplace(server_port(name_hash(second), 0), second);
    if (!fresh) first = at->second;
  }
  RdmaServer other;
  ASSERT_TRUE(listen(server, first));
  ASSERT_TRUE(listen(other, second));
  for (const auto& [who, name] : {std::pair(&server, first), std::pair(&other, second)}) {
    RdmaClient one;
    call(one, name);
    run();
    ASSERT_TRUE(one.connected()) << one.reason;
    EXPECT_EQ(who->request.server_name, name);
    EXPECT_EQ(who->ends.size(), 1U);
  }
}

TEST_F(RdmaListenerTest, AServerWhosePortsAreAllTakenSaysSo) {
  std::vector<std::unique_ptr<RdmaServer>> others;
  for (std::uint32_t nth = 0; nth < kPorts; ++nth) {
    serving.port = server_port(name_hash("echo"), nth);
    others.push_back(std::make_unique<RdmaServer>());
    ASSERT_TRUE(listen(*others.back(), "other" + std::to_string(nth)));
  }
  serving.port.reset();
  EXPECT_EQ(listen(server).error().code, Errc::full);
}

TEST_F(RdmaListenerTest, ADeviceIsServedAtItsAddresses) {
  serving.device = "fake1";
  connect();
}

TEST_F(RdmaListenerTest, ALocalAddressThatIsNoneIsAMistakeInTheConfiguration) {
  serving.local = "here";
  EXPECT_EQ(listen(server).error().code, Errc::bad_config);
}

TEST_F(RdmaListenerTest, EveryCallThatFailsIsAnErrorAndLeavesNothingBehind) {
  for (std::uint64_t nth = 1;; ++nth) {
    ASSERT_LT(nth, 100U);
    fabric.fail_call(nth, ENOMEM);
    const std::uint64_t failing = fabric.calls() + nth;
    RdmaServer unlucky;
    const Status listens = listen(unlucky);
    const bool done = fabric.calls() < failing;
    fabric.fail_call(0, 0);
    EXPECT_EQ(listens.has_value(), done) << "call " << nth;
    unlucky.listener.reset();
    EXPECT_TRUE(runtime.entries().empty());
    if (done) return;
  }
}

// --- Machines ----------------------------------------------------------------------------

TEST_F(RdmaListenerTest, AMachineThatIsNotOnTheListIsRefused) {
  fabric.host("10.0.0.3");
  ASSERT_TRUE(listen(server));
  call(client, "echo", "10.0.0.3");
  expect_refused(client, Errc::authentication, "this machine may not connect");
  expect_serving();
}

TEST_F(RdmaListenerTest, AnEmptyListAdmitsNobody) {
  allowed.clear();
  ASSERT_TRUE(listen(server));
  call(client);
  expect_refused(client, Errc::authentication, "this machine may not connect");
}

TEST_F(RdmaListenerTest, EverybodyComesInOnlyWhereThatIsAskedFor) {
  allowed = {"any"};
  fabric.host("10.0.0.3");
  ASSERT_TRUE(listen(server));
  call(client, "echo", "10.0.0.3");
  run();
  EXPECT_TRUE(client.connected()) << client.reason;
}

TEST_F(RdmaListenerTest, AListWithAHostThatNobodyKnowsIsAnError) {
  allowed = {"nowhere.example"};
  EXPECT_EQ(listen(server).error().code, Errc::not_found);
}

TEST_F(RdmaListenerTest, NothingThatAMachineOffTheListSaysIsLookedAt) {
  ASSERT_TRUE(listen(server));
  fabric.host("10.0.0.3");
  HandClient stranger(fabric, "10.0.0.3");
  stranger.connect(kServerHost, "echo", std::vector<std::byte>(56, std::byte{0xff}));
  run();
  const Result<wire::Refusal> refusal = stranger.rejection();
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->code, Errc::authentication);
}

// --- Users -------------------------------------------------------------------------------

TEST_F(RdmaListenerTest, TheOwnerIsAskedAboutTheUser) {
  ASSERT_TRUE(listen(server));
  server.user_refusal = Refusal{Errc::authentication, "not this user"};
  call(client);
  expect_refused(client, Errc::authentication, "not this user");
}

TEST_F(RdmaListenerTest, OnlyRootActsForAnotherUser) {
  ASSERT_TRUE(listen(server));
  HandClient user(fabric, kClientHost);
  wire::RemoteHello hello = user.hello("echo");
  hello.process.uid = 1000;
  hello.acting = wire::Identity{7, 7};
  greet(user, hello);
  const auto refusal = user.hear<wire::Refusal>();
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->code, Errc::authentication);
}

TEST_F(RdmaListenerTest, RootActsForAUser) {
  ASSERT_TRUE(listen(server));
  HandClient root(fabric, kClientHost);
  wire::RemoteHello hello = root.hello("echo");
  hello.process.uid = 0;
  hello.acting = wire::Identity{7, 8};
  greet(root, hello);
  EXPECT_TRUE(root.hear<wire::RemoteWelcome>());
  EXPECT_EQ(server.request.peer.acting_uid, 7U);
  EXPECT_EQ(server.request.peer.acting_gid, 8U);
}

// --- Nonsense ----------------------------------------------------------------------------

TEST_F(RdmaListenerTest, PrivateDataThatIsNoCallIsRefused) {
  ASSERT_TRUE(listen(server));
  const auto call = wire::encoded(wire::Call{.name_hash = name_hash("echo")});
  std::vector<std::byte> shorter = call;
  shorter[8] = std::byte{11};  // Its size.
  std::vector<std::byte> longer = call;
  longer.push_back(std::byte{1});
  std::vector<std::byte> noise(56, std::byte{0x5a});
  for (const auto& data : {std::vector<std::byte>(), shorter, longer, noise}) {
    HandClient nobody(fabric, kClientHost);
    nobody.connect(kServerHost, "echo", data);
    run();
    const Result<wire::Refusal> refusal = nobody.rejection();
    ASSERT_TRUE(refusal);
    EXPECT_EQ(refusal->code, Errc::connection_aborted);
  }
  expect_nothing_left();
  expect_serving();
}

TEST_F(RdmaListenerTest, AClientOfALaterVersionIsRefusedWithAReason) {
  ASSERT_TRUE(listen(server));
  HandClient newer(fabric, kClientHost);
  const LogLines log;
  newer.connect(kServerHost, "echo",
                wire::encoded(wire::Call{
                    .min_version = 2, .max_version = 3, .name_hash = name_hash("echo")}));
  run();
  const Result<wire::Refusal> refusal = newer.rejection();
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->code, Errc::unsupported_version);
  EXPECT_EQ(log.lines,
            std::vector<std::string>{"server echo: refused 10.0.0.1: " + refusal->reason});
}

TEST_F(RdmaListenerTest, ANameOfTheSameHashIsNotTheSameName) {
  ASSERT_TRUE(listen(server));
  HandClient other(fabric, kClientHost);
  greet(other, other.hello("ohce"));
  const auto refusal = other.hear<wire::Refusal>();
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->code, Errc::not_found);
  expect_serving();
}

TEST_F(RdmaListenerTest, WhoSaysNothingIsLetGoAndNobodyWaitsForIt) {
  ASSERT_TRUE(listen(server));
  HandClient silent(fabric, kClientHost);
  silent.call(kServerHost, "echo");
  run();
  expect_serving();
  EXPECT_NE(fabric.counts(kServerHost).queue_pairs, 0U);
  reactor.pass(5'000'000'000);
  server.ends.clear();
  expect_nothing_left();
}

TEST_F(RdmaListenerTest, OfManyWhoSayNothingTheOldestGoesFirst) {
  ASSERT_TRUE(listen(server));
  std::vector<std::unique_ptr<HandClient>> crowd;
  for (int n = 0; n < 520; ++n) {
    crowd.push_back(std::make_unique<HandClient>(fabric, kClientHost));
    crowd.back()->call(kServerHost, "echo");
    run();
  }
  EXPECT_EQ(fabric.counts(kServerHost).queue_pairs, 512U);
  expect_serving();
}

// A queue pair cannot grow when its peer has shown who it is, and some servers' are long.
TEST_F(RdmaListenerTest, WhereQueuesAreLongFewerMayBeHalfMade) {
  message_size = 64;
  queue = 8192;
  ASSERT_TRUE(listen(server));
  std::vector<std::unique_ptr<HandClient>> crowd;
  for (int n = 0; n < 200; ++n) {
    crowd.push_back(std::make_unique<HandClient>(fabric, kClientHost));
    crowd.back()->call(kServerHost, "echo");
    run();
  }
  EXPECT_EQ(fabric.counts(kServerHost).queue_pairs, 186U);
  expect_serving();
}

// Whoever gets so far has named the server and been admitted.
TEST_F(RdmaListenerTest, WhoHasNotShownItselfPinsNextToNothing) {
  for (const std::uint32_t size : {4080U, 65'535U}) {
    message_size = size;
    RdmaServer crowded;
    ASSERT_TRUE(listen(crowded));
    std::vector<std::unique_ptr<HandClient>> crowd;
    for (int n = 0; n < 512; ++n) {
      crowd.push_back(std::make_unique<HandClient>(fabric, kClientHost));
      crowd.back()->call(kServerHost, "echo");
      run();
    }
    EXPECT_EQ(fabric.counts(kServerHost).queue_pairs, 512U);
    EXPECT_LT(fabric.counts(kServerHost).region_bytes, 512U * 1280);
    crowded.listener.reset();
    run();
    expect_nothing_left();
  }
}

TEST_F(RdmaListenerTest, WhoIsLetInHasMemoryForItsMessages) {
  connect();
  EXPECT_GT(fabric.counts(kServerHost).region_bytes, 2U * queue * message_size);
}

TEST_F(RdmaListenerTest, AServerWithoutMemoryForAnotherClientSaysSo) {
  bool said = false;
  for (std::uint64_t nth = 1; !said; ++nth) {
    ASSERT_LT(nth, 100U) << "no call that failed was for the client's memory";
    RdmaServer poor;
    ASSERT_TRUE(listen(poor));
    RdmaClient unlucky;
    fabric.fail_call(nth, ENOMEM);
    call(unlucky);
    run();
    fabric.fail_call(0, 0);
    said = unlucky.error && unlucky.error->code == Errc::no_memory &&
           unlucky.reason.find("no memory for another client") != std::string::npos;
    if (said) {
      EXPECT_TRUE(poor.ends.empty());
    }
  }
}

TEST_F(RdmaListenerTest, AClientThatHangsUpInTheMiddleLeavesNothingBehind) {
  ASSERT_TRUE(listen(server));
  {
    HandClient fickle(fabric, kClientHost);
    fickle.call(kServerHost, "echo");
    run();
  }
  run();
  expect_nothing_left();
}

TEST_F(RdmaListenerTest, ARefusalArrivesBeforeTheServerHangsUp) {
  ASSERT_TRUE(listen(server));
  server.refusal = Refusal{Errc::full, std::string(300, 'x')};
  call(client);
  expect_refused(client, Errc::full, std::string(200, 'x'));
  run();
  expect_nothing_left();
}

TEST_F(RdmaListenerTest, ConnectionsLiveOnWhenTheListenerIsClosed) {
  connect();
  server.listener->close();
  ASSERT_TRUE(here().channel->send(bytes("hello")));
  EXPECT_EQ(there().take(), "hello");
  server.listener.reset();
  here().goodbye();
  there().channel->arm(false, false);
  run();
  EXPECT_EQ(there().channel->peer_state(), PeerState::kOrderly);
}

TEST_F(RdmaListenerTest, ConnectionIdsCountOnAndAreNeverReused) {
  ASSERT_TRUE(listen(server));
  for (std::uint64_t id = 1; id < 5; ++id) {
    RdmaClient one;
    call(one);
    run();
    EXPECT_EQ(server.request.connection_id, id);
    one.end.channel.reset();
    run();
  }
}

}  // namespace
}  // namespace comch::transport::rdma
