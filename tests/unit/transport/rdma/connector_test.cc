// RdmaConnector: everything that a call can meet.
#include "transport/rdma/connector.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "support/encoded.h"
#include "support/process_counters.h"
#include "transport/rdma/server_port.h"
#include "unit/transport/rdma/parties.h"
#include "unit/transport/rdma/stranger.h"

namespace comch::transport::rdma {
namespace {

using test::RdmaClient;
using test::RdmaParties;
using test::RdmaServer;
using test::Stranger;

struct RdmaConnectorTest : testing::Test, RdmaParties {
  ~RdmaConnectorTest() override {
    EXPECT_TRUE(test::eventually([this] { return test::threads() == threads; }));
  }
  void expect_refused(Errc code, const std::string& reason) {
    run();
    ASSERT_TRUE(client.error) << "nothing was told";
    EXPECT_EQ(client.error->code, code) << client.reason;
    EXPECT_NE(client.reason.find(reason), std::string::npos) << client.reason;
    EXPECT_FALSE(client.connected());
  }

  const std::size_t threads = test::threads();  // Whom nobody waits for ends by itself.
};

TEST_F(RdmaConnectorTest, AServerOfTheNameIsFound) {
  connect();
  EXPECT_EQ(server.request.server_name, "echo");
  EXPECT_EQ(server.request.limits.recv_queue_size, queue);
  EXPECT_EQ(client.peer.pid, server.asked.pid) << "both are this process";
}

TEST_F(RdmaConnectorTest, AHostIsFoundByName) {
  fabric.name_host("dpu.local", kServerHost);
  remote = "dpu.local";
  ASSERT_TRUE(listen(server));
  call(client);
  EXPECT_TRUE(run_until([&] { return client.connected(); })) << client.reason;
}

TEST_F(RdmaConnectorTest, NobodyWaitsForTheResolver) {
  fabric.name_host("dpu.local", kServerHost);
  fabric.hold_names();
  ASSERT_TRUE(listen(server));
  remote = "dpu.local";
  RdmaClient patient;
  call(patient);
  run();
  remote = kServerHost;
  call(client);
  run();
  EXPECT_TRUE(client.connected()) << "by its number, meanwhile";
  EXPECT_FALSE(patient.connected() || patient.error);
  fabric.release_names();
  EXPECT_TRUE(run_until([&] { return patient.connected(); })) << patient.reason;
}

TEST_F(RdmaConnectorTest, AResolverThatDoesNotAnswerTakesItsTimeAndNoMore) {
  fabric.hold_names();
  remote = "dpu.local";
  call(client);
  run();
  EXPECT_FALSE(client.error);
  reactor.pass(kDeadline_ns);
  expect_refused(Errc::time_out, "dpu.local was not found in time");
  fabric.release_names();
}

TEST_F(RdmaConnectorTest, AHostThatNobodyKnowsIsNotFound) {
  remote = "nowhere.example";
  call(client);
  EXPECT_TRUE(run_until([&] { return client.error.has_value(); }));
  expect_refused(Errc::not_found, "nowhere.example is not found");
}

TEST_F(RdmaConnectorTest, AnAddressThatDoesNotResolveIsNotFound) {
  remote = "10.9.9.9";
  call(client);
  expect_refused(Errc::not_found, "10.9.9.9 cannot be reached by RDMA");
}

TEST_F(RdmaConnectorTest, ALocalAddressThatIsNoneIsAMistakeInTheConfiguration) {
  calling.local = "here";
  call(client);
  expect_refused(Errc::bad_config, "local address");
}

TEST_F(RdmaConnectorTest, ALocalAddressOfAnotherMachineCannotBeCalledFrom) {
  ASSERT_TRUE(listen(server));
  calling.local = "10.0.0.77";
  call(client);
  expect_refused(Errc::not_found, "cannot be reached");
}

TEST_F(RdmaConnectorTest, NoServerIsNotFound) {
  call(client);
  expect_refused(Errc::not_found, "no server named 'echo' runs on 10.0.0.2");
}

TEST_F(RdmaConnectorTest, TheWrongPortIsNotFound) {
  ASSERT_TRUE(listen(server));
  calling.port = 7;
  call(client);
  expect_refused(Errc::not_found, "no server named 'echo'");
}

TEST_F(RdmaConnectorTest, APortOfOnesOwnIsFound) {
  serving.port = calling.port = 7;
  connect();
}

TEST_F(RdmaConnectorTest, ASilentHostTakesItsTimeAndNoMore) {
  ASSERT_TRUE(listen(server));
  fabric.kill_host(kServerHost);
  call(client);
  run();
  EXPECT_FALSE(client.error);
  reactor.pass(kDeadline_ns);
  expect_refused(Errc::time_out, "10.0.0.2 did not answer in time");
}

TEST_F(RdmaConnectorTest, AServerThatStopsInTheMiddleOfTheHandshakeTakesItsTime) {
  ASSERT_TRUE(listen(server));
  fabric.hold();
  call(client);
  run();
  EXPECT_FALSE(client.error);
  reactor.pass(kDeadline_ns);
  expect_refused(Errc::time_out, "did not answer in time");
}

TEST_F(RdmaConnectorTest, AMessageOfTheConnectionManagerThatGetsLostTakesItsTime) {
  ASSERT_TRUE(listen(server));
  fabric.lose_events(1);
  call(client);
  run();
  reactor.pass(kDeadline_ns);
  expect_refused(Errc::time_out, "did not answer in time");
}

const std::vector<std::byte> kNoise(33, std::byte{0x5a});

TEST_F(RdmaConnectorTest, AnotherProgramThatAcceptsIsNoServer) {
  for (const auto& data : {std::vector<std::byte>(), kNoise}) {
    const Stranger stranger(fabric, reactor, kServerHost, {.with = data});
    client.error.reset();
    call(client);
    expect_refused(Errc::connection_aborted, "what answers on 10.0.0.2 is not a comch server");
  }
}

TEST_F(RdmaConnectorTest, AnotherProgramThatRejectsIsNoServer) {
  for (const auto& data : {std::vector<std::byte>(), kNoise}) {
    const Stranger stranger(fabric, reactor, kServerHost, {.accepts = false, .with = data});
    client.error.reset();
    call(client);
    expect_refused(Errc::not_found, "no server named 'echo'");
  }
}

TEST_F(RdmaConnectorTest, AServerBehindAnotherProgramsPortIsFound) {
  const Stranger stranger(fabric, reactor, kServerHost, {.accepts = false, .with = kNoise});
  connect();
}

TEST_F(RdmaConnectorTest, AServerOfALaterVersionIsRefusedWithAReason) {
  const Stranger stranger(fabric, reactor, kServerHost,
                          {.with = wire::encoded(wire::Answer{.version = 9})});
  call(client);
  expect_refused(Errc::unsupported_version, "another version");
}

TEST_F(RdmaConnectorTest, EveryRefusalOfTheServerIsToldWithItsReason) {
  for (const auto& [told, expected] :
       {std::pair{Errc::full, Errc::full}, std::pair{Errc::invalid_value, Errc::invalid_value},
        std::pair{Errc::authentication, Errc::authentication},
        std::pair{Errc::bad_state, Errc::connection_aborted}}) {
    RdmaServer other;
    other.refusal = Refusal{told, "for a reason"};
    ASSERT_TRUE(listen(other));
    client.error.reset();
    call(client);
    expect_refused(expected, "for a reason");
  }
}

TEST_F(RdmaConnectorTest, MessageSizesThatDifferAreTheServersToRefuse) {
  ASSERT_TRUE(listen(server));
  server.refusal = Refusal{Errc::invalid_value, "max_msg_size must be the same"};
  client_message_size = 100;
  call(client);
  expect_refused(Errc::invalid_value, "max_msg_size must be the same");
  EXPECT_EQ(server.request.limits.max_message_size, 100U);
}

TEST_F(RdmaConnectorTest, AServerThatDiesInTheMiddleOfTheHandshakeHasHungUp) {
  ASSERT_TRUE(listen(server));
  fabric.hold();
  call(client);
  run();
  server.listener->close();
  expect_refused(Errc::connection_aborted, "hung up");
}

TEST_F(RdmaConnectorTest, ANameWhosePortsAreTakenByOthersIsFoundAtTheNext) {
  // The hash of "echo" is not to be had a second time: its port is taken by number.
  serving.port = server_port(name_hash("echo"), 0);
  RdmaServer other;
  ASSERT_TRUE(listen(other, "other"));
  serving.port.reset();
  connect();
  EXPECT_TRUE(other.ends.empty());
  EXPECT_EQ(server.request.server_name, "echo");
}

TEST_F(RdmaConnectorTest, AServerOfAnotherNameIsNotTheOneThatWasMeant) {
  serving.port = calling.port = 7;
  ASSERT_TRUE(listen(server, "other"));
  call(client);
  expect_refused(Errc::not_found, "no server named 'echo'");
}

TEST_F(RdmaConnectorTest, ACallMayBeGivenUpAtAnyMoment) {
  ASSERT_TRUE(listen(server));
  for (int turns = 0; turns < 12; ++turns) {
    RdmaClient impatient;
    call(impatient);
    reactor.pass(0);
    for (int n = 0; n < turns; ++n) reactor.turn();
    impatient.connector.reset();
    impatient.end.channel.reset();
    run();
  }
  EXPECT_EQ(fabric.counts(kClientHost).queue_pairs, 0U);
  server.ends.clear();
  EXPECT_EQ(fabric.counts(kServerHost).queue_pairs, 0U);
}

TEST_F(RdmaConnectorTest, EveryCallThatFailsIsToldAndLeavesNothingBehind) {
  for (std::uint64_t nth = 1;; ++nth) {
    ASSERT_LT(nth, 500U);
    server.listener.reset();
    server.ends.clear();
    ASSERT_TRUE(listen(server));
    RdmaClient unlucky;
    fabric.fail_call(nth, ENOMEM);
    const std::uint64_t failing = fabric.calls() + nth;
    call(unlucky);
    run();
    if (!unlucky.connected() && !unlucky.error) {
      reactor.pass(kDeadline_ns);
      run();
    }
    EXPECT_TRUE(unlucky.connected() || unlucky.error) << "call " << nth;
    const bool done = fabric.calls() < failing;
    fabric.fail_call(0, 0);
    unlucky.end.channel.reset();
    server.ends.clear();
    run();
    EXPECT_EQ(fabric.counts(kClientHost).regions, 0U) << nth;
    if (done) return;
  }
}

}  // namespace
}  // namespace comch::transport::rdma
