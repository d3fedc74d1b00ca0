// Two processes: a server in one and a client in the other, waiting in every way, and either of
// them dying.
#include <doca_comch.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <optional>

#include "doca/control_parties.h"
#include "support/child_process.h"

namespace comch::test {
namespace {

struct ComchProcessesTest : testing::TestWithParam<Waiting> {
  const RuntimeDirectory directory;
  PartySettings settings{.tasks = 1024, .waiting = GetParam()};
};

// An engine of this process's own.
struct Engine {
  Engine() { EXPECT_EQ(doca_pe_create(&pe), DOCA_SUCCESS); }
  ~Engine() { EXPECT_EQ(doca_pe_destroy(pe), DOCA_SUCCESS); }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  doca_pe* pe = nullptr;
};

// Answers every message with itself, until its first client has gone.
int echo(const PartySettings& settings, const Gate& ready) {
  const Engine engine;
  ServerParty server(engine.pe, settings);
  server.then_receive = [&](doca_comch_connection* from) {
    EXPECT_EQ(server.send(from, server.received.back()), DOCA_SUCCESS);
  };
  // Nothing is outstanding then: it is idle at once.
  server.then_disconnected = [&](auto*) { EXPECT_EQ(server.stop(), DOCA_SUCCESS); };
  // The messages that are being answered stay where they are.
  server.received.reserve(2048);
  EXPECT_EQ(server.start(), DOCA_SUCCESS);
  ready.open();
  return server.run_until_idle() ? 0 : 1;
}

TEST_P(ComchProcessesTest, EveryMessageIsEchoedInOrder) {
  const Gate ready;
  ChildProcess child = ChildProcess::run([&] { return echo(settings, ready); });
  ASSERT_TRUE(ready.wait());
  const Engine engine;
  ClientParty client(engine.pe, settings);
  ASSERT_TRUE(client.connect());
  std::vector<std::string> sent;
  sent.reserve(1024);
  for (int n = 0; n < 1024; ++n) sent.push_back("message " + std::to_string(n));
  for (const std::string& message : sent) ASSERT_EQ(client.send(message), DOCA_SUCCESS);
  ASSERT_TRUE(client.run_until([&] { return client.received.size() == sent.size(); }));
  EXPECT_EQ(client.received, sent);
  EXPECT_EQ(client.stop(), DOCA_ERROR_IN_PROGRESS);
  EXPECT_TRUE(client.run_until_idle());
  EXPECT_EQ(child.wait(), Exit::with(0));
}

TEST_P(ComchProcessesTest, OneAtATimeEachWakesTheOther) {
  const Gate ready;
  ChildProcess child = ChildProcess::run([&] { return echo(settings, ready); });
  ASSERT_TRUE(ready.wait());
  const Engine engine;
  ClientParty client(engine.pe, settings);
  ASSERT_TRUE(client.connect());
  for (std::size_t n = 1; n <= 200; ++n) {
    ASSERT_EQ(client.send("ping"), DOCA_SUCCESS);
    ASSERT_TRUE(client.run_until([&] { return client.received.size() == n; })) << n;
  }
  EXPECT_EQ(client.stop(), DOCA_ERROR_IN_PROGRESS);
  EXPECT_TRUE(client.run_until_idle());
  EXPECT_EQ(child.wait(), Exit::with(0));
}

TEST_P(ComchProcessesTest, TheLastWordsOfAServerThatStopsAndExitsArrive) {
  const Gate ready;
  ChildProcess child = ChildProcess::run([&] {
    const Engine engine;
    ServerParty server(engine.pe, settings);
    server.then_receive = [&](doca_comch_connection* from) {
      for (int n = 0; n < 1000; ++n) EXPECT_EQ(server.send(from, "last"), DOCA_SUCCESS);
      EXPECT_EQ(server.stop(), DOCA_ERROR_IN_PROGRESS);
    };
    EXPECT_EQ(server.start(), DOCA_SUCCESS);
    ready.open();
    return server.run_until_idle() ? 0 : 1;
  });
  ASSERT_TRUE(ready.wait());
  const Engine engine;
  ClientParty client(engine.pe, settings);
  ASSERT_TRUE(client.connect());
  ASSERT_EQ(client.send("speak"), DOCA_SUCCESS);
  ASSERT_TRUE(client.run_until_idle());
  EXPECT_EQ(client.received.size(), 1000u);
  EXPECT_EQ(child.wait(), Exit::with(0));
}

TEST_P(ComchProcessesTest, AKilledServerLeavesItsClientIdleAndItsNameFree) {
  const Gate ready;
  ChildProcess child = ChildProcess::run([&] { return echo(settings, ready); });
  ASSERT_TRUE(ready.wait());
  const Engine engine;
  ClientParty client(engine.pe, settings);
  ASSERT_TRUE(client.connect());
  doca_comch_connection* const connection = client.connection();
  child.kill(SIGKILL);
  EXPECT_EQ(child.wait(), Exit::by_signal(SIGKILL));
  ASSERT_TRUE(client.run_until_idle());
  EXPECT_EQ(doca_comch_connection_update_info(connection), DOCA_ERROR_CONNECTION_ABORTED);
  ServerParty server(engine.pe, settings);
  ASSERT_EQ(server.start(), DOCA_SUCCESS);
  EXPECT_TRUE(client.connect());
}

TEST_P(ComchProcessesTest, AKilledClientIsTakenForOneThatLeft) {
  const Gate listening;
  const Gate connected;
  const Engine engine;
  ServerParty server(engine.pe, settings);
  ChildProcess child = ChildProcess::run([&] {
    if (!listening.wait()) return 3;
    // The engine above is not this process's to use.
    const Engine own;
    ClientParty client(own.pe, settings);
    if (!client.connect()) return 1;
    connected.open();
    client.run_until([] { return false; });
    return 2;
  });
  // Behind the fork, so that its sockets are this process's alone.
  ASSERT_EQ(server.start(), DOCA_SUCCESS);
  listening.open();
  ASSERT_TRUE(server.run_until([&] { return server.connections.size() == 1; }));
  ASSERT_TRUE(connected.wait());
  doca_comch_connection* const connection = server.connections.front();
  // More than its queue takes: these are held when it dies.
  for (int n = 0; n < 100; ++n) ASSERT_EQ(server.send(connection, "held"), DOCA_SUCCESS);
  child.kill(SIGKILL);
  ASSERT_TRUE(server.run_until([&] { return server.endings == 1; }));
  EXPECT_EQ(server.completions.size(), 100u);
  EXPECT_EQ(server.state(), DOCA_CTX_STATE_RUNNING);
  EXPECT_EQ(doca_comch_server_disconnect(server.server, connection), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(child.wait(), Exit::by_signal(SIGKILL));
}

INSTANTIATE_TEST_SUITE_P(Waiting, ComchProcessesTest,
                         testing::Values(Waiting::kPolling, Waiting::kEpoll, Waiting::kEpollAll),
                         [](const auto& waiting) { return name(waiting.param); });

}  // namespace
}  // namespace comch::test
