// Client: creation, connecting, failing to, and the ways a connection ends under it.
#include "comch/client.h"

#include <gtest/gtest.h>

#include <string>

#include "unit/comch/pair.h"

namespace comch {
namespace {

using namespace std::string_literals;
using enum ContextState;

struct ClientTest : test::Pair {};

TEST_F(ClientTest, AClientLivesOnAHostDeviceAndAsksForAPossibleName) {
  EXPECT_EQ(Client::create(test::dpu(), "echo").error().code, Errc::not_supported);
  EXPECT_EQ(Client::create(nullptr, "echo").error().code, Errc::invalid_value);
  for (const std::string& bad : {""s, std::string(120, 'n'), "a/b"s, "a\0b"s}) {
    EXPECT_EQ(Client::create(test::host(), bad).error().code, Errc::invalid_value);
    EXPECT_EQ(client->set_server_name(bad).error().code, Errc::invalid_value);
  }
  EXPECT_EQ(client->server_name(), "echo");
  EXPECT_EQ(client->device()->info().side, Side::kHost);
}

TEST_F(ClientTest, WithoutAServerItFailsAndSaysSo) {
  EXPECT_EQ(client->start(), kStarting);
  ASSERT_TRUE(client.run_until_idle());
  EXPECT_EQ(client->failure().error.code, Errc::not_found);
  EXPECT_NE(client->failure().text.find("no server named 'echo'"), std::string::npos);
  EXPECT_NE(describe(client->failure().error).find("no server of this name"), std::string::npos);
  EXPECT_EQ(client.states, (std::vector{kStarting, kStopping, kIdle}));
}

TEST_F(ClientTest, ItHasAConnectionWhileItRuns) {
  EXPECT_EQ(client->connection().error().code, Errc::bad_state);
  ASSERT_TRUE(server->start());
  EXPECT_EQ(client->start(), kStarting);
  EXPECT_EQ(client->connection().error().code, Errc::bad_state);
  ASSERT_TRUE(run_until([&] { return client->state() == kRunning; }));
  EXPECT_TRUE(client->connection());
  ASSERT_TRUE(client->stop());
  ASSERT_TRUE(client.run_until_idle());
  EXPECT_EQ(client->connection().error().code, Errc::bad_state);
}

TEST_F(ClientTest, ATimeoutThatNobodyLivesToSeeIsNotOverAtOnce) {
  ASSERT_TRUE(client->set_connect_timeout(std::chrono::milliseconds::max()));
  ASSERT_TRUE(server->start());
  EXPECT_EQ(client->start(), kStarting);
  EXPECT_TRUE(run_until([&] { return client->state() == kRunning; }));
}

TEST_F(ClientTest, ItsConfigurationIsPossibleOnlyWhileIdle) {
  EXPECT_EQ(client->set_connect_timeout(std::chrono::milliseconds(0)).error().code,
            Errc::invalid_value);
  EXPECT_TRUE(client->set_connect_timeout(std::chrono::milliseconds(1)));
  EXPECT_TRUE(client->set_acting({1, 1}));
  ASSERT_TRUE(client->start());
  EXPECT_EQ(client->set_connect_timeout(std::chrono::seconds(1)).error().code, Errc::bad_state);
  EXPECT_EQ(client->set_server_name("other").error().code, Errc::bad_state);
  EXPECT_EQ(client->set_acting({1, 1}).error().code, Errc::bad_state);
}

TEST_F(ClientTest, AfterAFailureItMayBeStartedAgainWithAnotherName) {
  ASSERT_TRUE(server->start());
  ASSERT_TRUE(client->set_server_name("other"));
  EXPECT_FALSE(client.connect());
  ASSERT_TRUE(client.run_until_idle());
  ASSERT_TRUE(client->set_server_name("echo"));
  EXPECT_TRUE(client.connect());
  EXPECT_TRUE(client->failure().text.empty());
}

TEST_F(ClientTest, AServerThatNeverAnswersIsATimeOut) {
  // The server's engine is another one, which nobody runs.
  auto idle_engine = ProgressEngine::create().value();
  test::ServerParty deaf(*idle_engine, {.name = "deaf"});
  ASSERT_TRUE(deaf->start());
  test::ClientParty caller(*engine, {.name = "deaf", .timeout = std::chrono::milliseconds(20)});
  EXPECT_FALSE(caller.connect());
  EXPECT_EQ(caller->failure().error.code, Errc::time_out);
  ASSERT_TRUE(caller.run_until_idle());
  test::settle(*idle_engine);
  EXPECT_EQ(deaf->connections(), 0u) << "the caller that gave up is gone when it is accepted";
}

TEST_F(ClientTest, StopWhileStartingGivesUp) {
  ASSERT_TRUE(server->start());
  ASSERT_TRUE(client->start());
  EXPECT_EQ(client->stop(), kStopping);
  ASSERT_TRUE(client.run_until_idle());
  EXPECT_EQ(client.states, (std::vector{kStarting, kStopping, kIdle}));
  test::settle(*engine);
  EXPECT_EQ(server->connections(), 0u);
}

TEST_F(ClientTest, AnEndByTheServerIsAShutdownAndALossAReset) {
  connect();
  ASSERT_TRUE(server->stop());
  ASSERT_TRUE(client.run_until_idle());
  EXPECT_EQ(client->failure().error.code, Errc::shutdown);
  ASSERT_TRUE(run_until_idle(*server.server));
  connect();
  ASSERT_TRUE(static_cast<Context&>(*server.server).abort());
  ASSERT_TRUE(client.run_until_idle());
  EXPECT_EQ(client->failure().error.code, Errc::connection_reset);
}

TEST_F(ClientTest, AConnectionThatEndedIsKeptUntilTheClientIsIdle) {
  connect();
  SendTask& kept = task("m");
  Connection& connection = client.connection();
  ASSERT_TRUE(static_cast<Context&>(*server.server).abort());
  ASSERT_TRUE(run_until([&] { return client->state() == kStopping; }));
  test::settle(*engine);
  EXPECT_EQ(client->state(), kStopping) << "a task is out";
  EXPECT_EQ(connection.state(), ConnectionState::kClosed);
  EXPECT_EQ(connection.loss()->code, Errc::connection_reset);
  ASSERT_TRUE(kept.free());
  EXPECT_TRUE(client.run_until_idle());
}

TEST_F(ClientTest, WithAClientThatWentAwayTheServerGoesOn) {
  connect();
  ASSERT_TRUE(client->stop());
  ASSERT_TRUE(run_until([&] { return server.endings.size() == 1; }));
  EXPECT_EQ(server->state(), kRunning);
  EXPECT_TRUE(client.run_until_idle() && client.connect());
}

}  // namespace
}  // namespace comch
