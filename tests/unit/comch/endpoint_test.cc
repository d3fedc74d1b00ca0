// Endpoint: what servers and clients have in common: configuration, stopping, restarting.
#include "comch/endpoint.h"

#include <gtest/gtest.h>

#include "unit/comch/pair.h"

namespace comch {
namespace {

using test::bytes;
using enum ContextState;

struct EndpointTest : test::Pair {};

TEST_F(EndpointTest, SettingsLieBetweenOneAndTheCapability) {
  const auto nothing = [](SendTask&) {};
  for (const std::uint32_t bad : {0u, 65536u}) {
    EXPECT_EQ(client->set_max_message_size(bad).error().code, Errc::invalid_value);
  }
  for (const std::uint32_t bad : {0u, 8193u}) {
    EXPECT_EQ(client->set_recv_queue_size(bad).error().code, Errc::invalid_value);
    EXPECT_EQ(client->configure_send(bad, nothing, nothing).error().code, Errc::invalid_value);
  }
  EXPECT_TRUE(client->set_max_message_size(65535));
  EXPECT_TRUE(client->set_recv_queue_size(8192));
  EXPECT_TRUE(client->configure_send(8192, nothing, nothing));
  EXPECT_EQ(client->max_message_size(), 65535u);
  EXPECT_EQ(client->recv_queue_size(), 8192u);
}

TEST_F(EndpointTest, MandatoryCallbacksMustNotBeEmpty) {
  EXPECT_EQ(client->configure_send(1, {}, [](SendTask&) {}).error().code, Errc::invalid_value);
  EXPECT_EQ(client->configure_send(1, [](SendTask&) {}, {}).error().code, Errc::invalid_value);
  EXPECT_EQ(client->on_message({}).error().code, Errc::invalid_value);
  EXPECT_TRUE(client->on_space({})) << "this one is optional";
}

TEST_F(EndpointTest, StartNamesTheMandatorySettingThatIsMissing) {
  auto bare = Client::create(test::host(), "echo").value();
  ASSERT_TRUE(engine->connect(*bare));
  const auto expect_missing = [&](const char* what) {
    const auto started = bare->start();
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error().code, Errc::bad_state);
    EXPECT_NE(std::string(started.error().what).find(what), std::string::npos);
  };
  expect_missing("send tasks");
  ASSERT_TRUE(bare->configure_send(1, [](SendTask&) {}, [](SendTask&) {}));
  expect_missing("the receive callback");
  ASSERT_TRUE(bare->on_message([](Connection&, auto) { return Receipt::kTaken; }));
  EXPECT_EQ(bare->start(), kStarting);
}

TEST_F(EndpointTest, ConfigurationIsPossibleOnlyWhileIdle) {
  connect();
  const auto nothing = [](SendTask&) {};
  EXPECT_EQ(client->set_max_message_size(1).error().code, Errc::bad_state);
  EXPECT_EQ(client->set_recv_queue_size(1).error().code, Errc::bad_state);
  EXPECT_EQ(client->configure_send(1, nothing, nothing).error().code, Errc::bad_state);
  EXPECT_EQ(client->on_message([](Connection&, auto) { return Receipt::kTaken; }).error().code,
            Errc::bad_state);
  EXPECT_EQ(client->on_space({}).error().code, Errc::bad_state);
  EXPECT_EQ(client->max_message_size(), 64u) << "a refused call changes nothing";
}

TEST_F(EndpointTest, TheLastMessageBeforeStopIsStillDelivered) {
  connect();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(client.connection().try_send(bytes("m")));
  ASSERT_TRUE(client.connection().try_send(bytes("last")));
  ASSERT_TRUE(client->stop());
  ASSERT_TRUE(run_until([&] { return server.endings.size() == 1; }));
  ASSERT_EQ(server.received.size(), 4u);
  EXPECT_EQ(server.received.back(), "last");
  EXPECT_FALSE(server.endings[0]) << "an orderly end";
}

TEST_F(EndpointTest, StopDeliversEverythingThatWasSubmitted) {
  connect();
  const int filled = fill();
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(task("held").submit());
  EXPECT_EQ(client->stop(), kStopping);
  EXPECT_EQ(client->stop(), kStopping);
  server.connection().resume();
  ASSERT_TRUE(client.run_until_idle());
  ASSERT_TRUE(run_until([&] { return server.endings.size() == 1; }));
  EXPECT_EQ(server.received.size(), static_cast<std::size_t>(filled + 8));
  ASSERT_EQ(client.completions.size(), 8u);
  for (const Status& s : client.completions) EXPECT_TRUE(s);
}

TEST_F(EndpointTest, AbortReturnsWhatWaitsWithAnError) {
  connect();
  fill();
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(task("held").submit());
  EXPECT_EQ(client->abort(), kStopping);
  ASSERT_TRUE(client.run_until_idle());
  ASSERT_EQ(client.completions.size(), 8u);
  for (const Status& s : client.completions) EXPECT_EQ(s.error().code, Errc::shutdown);
  ASSERT_TRUE(
      run_until([&] { return server.connections.empty() || server.connection().paused(); }));
  if (!server.connections.empty()) server.connection().resume();
  ASSERT_TRUE(run_until([&] { return server.endings.size() == 1; }));
  EXPECT_EQ(server.endings[0]->code, Errc::connection_reset);
}

TEST_F(EndpointTest, AnAbortHurriesUpAStopThatWaitsForAFullQueue) {
  connect();
  fill();
  ASSERT_TRUE(task("held").submit());
  ASSERT_TRUE(client->stop());
  test::settle(*engine);
  EXPECT_EQ(client->state(), kStopping);
  ASSERT_TRUE(client->abort());
  EXPECT_TRUE(client.run_until_idle());
}

TEST_F(EndpointTest, ATaskThatWasAllocatedAndNeverFreedKeepsTheContextStopping) {
  connect();
  SendTask& mine = task("m");
  ASSERT_TRUE(client->stop());
  ASSERT_TRUE(run_until([&] { return server.endings.size() == 1; }));
  test::settle(*engine);
  EXPECT_EQ(client->state(), kStopping);
  ASSERT_TRUE(mine.free());
  EXPECT_TRUE(client.run_until_idle());
}

TEST_F(EndpointTest, EveryStateIsToldOnceAndInOrder) {
  connect();
  ASSERT_TRUE(client->stop());
  ASSERT_TRUE(client.run_until_idle());
  EXPECT_EQ(client.states, (std::vector{kStarting, kRunning, kStopping, kIdle}));
  ASSERT_TRUE(server->stop());
  ASSERT_TRUE(run_until_idle(*server.server));
  EXPECT_EQ(server.states.front(), kRunning);
  EXPECT_EQ(server.states.back(), kIdle);
}

// Stop from inside any callback: each line stops in another one.
TEST_F(EndpointTest, AContextMayBeStoppedInsideAnyCallback) {
  const auto stop = [](Context& context) {
    if (context.state() != kRunning) return;
    EXPECT_TRUE(context.stop());
  };
  struct Case {
    const char* where;
    std::function<void(EndpointTest&)> arrange;
  };
  const std::vector<Case> cases{
      {"the server's message",
       [&](EndpointTest& t) {
         t.server.then_receive = [&](Connection&) {
           return stop(*t.server.server), Receipt::kTaken;
         };
       }},
      {"the server's message, which is kept",
       [&](EndpointTest& t) {
         t.server.then_receive = [&](Connection&) {
           return stop(*t.server.server), Receipt::kKeep;
         };
       }},
      {"connected",
       [&](EndpointTest& t) { t.server.then_connected = [&](auto&) { stop(*t.server.server); }; }},
      {"disconnected",
       [&](EndpointTest& t) {
         t.server.then_disconnected = [&](auto&) { stop(*t.server.server); };
         t.server.then_receive = [&](Connection& c) {
           EXPECT_TRUE(t.server->disconnect(c));
           return Receipt::kTaken;
         };
       }},
      {"a completion",
       [&](EndpointTest& t) {
         t.client.then_complete = [&](SendTask& task) {
           EXPECT_TRUE(task.free());
           stop(*t.client.client);
           stop(*t.server.server);
         };
       }},
      {"space",
       [&](EndpointTest& t) { t.client.then_space = [&](auto&) { stop(*t.client.client); }; }},
      {"a change of state",
       [&](EndpointTest& t) {
         t.client.then_state = [&](Context& c, ContextState now) {
           if (now == kRunning) stop(c);
         };
       }},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.where);
    client.then_receive = server.then_receive = [](Connection&) { return Receipt::kTaken; };
    client.then_complete = [](SendTask& task) { std::ignore = task.free(); };
    client.then_space = [](Connection&) {};
    client.then_state = [](Context&, ContextState) {};
    server.then_connected = server.then_disconnected = [](Connection&) {};
    c.arrange(*this);
    ASSERT_TRUE(server->start());
    if (client.connect()) {
      ASSERT_TRUE(task("m").submit());
      client.connection().request_space();
      test::settle(*engine);
    }
    stop(*client.client);
    stop(*server.server);
    ASSERT_TRUE(client.run_until_idle());
    ASSERT_TRUE(run_until_idle(*server.server));
    EXPECT_EQ(engine->tasks_in_flight(), 0u);
    EXPECT_TRUE(server.connections.empty());
    EXPECT_TRUE(runtime.entries().empty());
  }
}

TEST_F(EndpointTest, AContextIsDestroyedOnlyWhileIdle) {
  connect();
  EXPECT_EQ(Client::destroy(client.client).error().code, Errc::in_use);
  EXPECT_EQ(Server::destroy(server.server).error().code, Errc::in_use);
  ASSERT_TRUE(client->stop());
  ASSERT_TRUE(client.run_until_idle());
  ASSERT_TRUE(server->stop());
  ASSERT_TRUE(run_until_idle(*server.server));
  EXPECT_TRUE(Client::destroy(client.client));
  EXPECT_TRUE(Server::destroy(server.server));
  EXPECT_EQ(client.client, nullptr);
  EXPECT_EQ(Client::destroy(client.client).error().code, Errc::invalid_value);
  EXPECT_EQ(Server::destroy(server.server).error().code, Errc::invalid_value);
}

TEST_F(EndpointTest, AContextThatIsDroppedWhileItRunsIsALostPeer) {
  connect();
  fill();
  ASSERT_TRUE(task("held").submit());
  client.client.reset();
  server.connection().resume();
  ASSERT_TRUE(run_until([&] { return server.endings.size() == 1; }));
  EXPECT_EQ(server.endings[0]->code, Errc::connection_reset);
  EXPECT_TRUE(client.completions.empty());
  server.server.reset();
  EXPECT_TRUE(runtime.entries().empty());
  EXPECT_TRUE(ProgressEngine::destroy(engine));
}

TEST_F(EndpointTest, BothCanBeStartedAgainForEver) {
  for (int i = 0; i < 50; ++i) {
    connect();
    ASSERT_TRUE(client.connection().try_send(bytes("m")));
    ASSERT_TRUE(client->stop());
    ASSERT_TRUE(client.run_until_idle());
    ASSERT_TRUE(server->stop());
    ASSERT_TRUE(run_until_idle(*server.server));
  }
}

}  // namespace
}  // namespace comch
