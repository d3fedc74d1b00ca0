// Order of life: starting, stopping, closing and destroying in every order that programs use,
// from every callback, waiting in every way.
#include <doca_comch.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include "doca/control_parties.h"

namespace comch::test {
namespace {

struct ComchLifeTest : ControlTest, testing::WithParamInterface<Waiting> {
  PartySettings settings{.waiting = GetParam()};
  std::optional<ServerParty> server;
  std::optional<ClientParty> client;

  void make() {
    server.emplace(pe, settings);
    client.emplace(pe, settings);
  }
  void connect() {
    if (!server) make();
    ASSERT_EQ(server->start(), DOCA_SUCCESS);
    ASSERT_TRUE(client->connect());
    ASSERT_TRUE(server->run_until([&] { return server->connections.size() == 1; }));
  }
  void stop_server() {
    const doca_error_t stopped = server->stop();
    EXPECT_TRUE(stopped == DOCA_SUCCESS || stopped == DOCA_ERROR_IN_PROGRESS) << stopped;
  }
  void expect_both_idle() {
    EXPECT_TRUE(server->run_until_idle());
    EXPECT_TRUE(client->run_until_idle());
    EXPECT_EQ(server->states,
              (std::vector{DOCA_CTX_STATE_RUNNING, DOCA_CTX_STATE_STOPPING, DOCA_CTX_STATE_IDLE}));
  }
};

TEST_P(ComchLifeTest, TheServerStopsInItsSendCallback) {
  make();
  server->then_complete = [&](doca_comch_task_send* task) {
    doca_task_free(doca_comch_task_send_as_task(task));
    stop_server();
  };
  server->then_receive = [&](doca_comch_connection* from) { server->send(from, "answer"); };
  connect();
  ASSERT_EQ(client->send("question"), DOCA_SUCCESS);
  expect_both_idle();
  EXPECT_EQ(client->received, std::vector<std::string>{"answer"});
}

TEST_P(ComchLifeTest, TheServerStopsInItsMessageCallback) {
  make();
  server->then_receive = [&](doca_comch_connection* from) {
    if (server->received.size() > 1) return;
    EXPECT_EQ(server->send(from, "last words"), DOCA_SUCCESS);
    stop_server();
  };
  connect();
  ASSERT_EQ(client->send("one"), DOCA_SUCCESS);
  ASSERT_EQ(client->send("two"), DOCA_SUCCESS);
  expect_both_idle();
  EXPECT_EQ(client->received, std::vector<std::string>{"last words"});
}

TEST_P(ComchLifeTest, TheServerStopsInItsDisconnectCallback) {
  make();
  server->then_disconnected = [&](auto*) { stop_server(); };
  connect();
  EXPECT_EQ(client->stop(), DOCA_ERROR_IN_PROGRESS);
  EXPECT_TRUE(server->run_until_idle());
  EXPECT_TRUE(client->run_until_idle());
}

TEST_P(ComchLifeTest, TheServerStopsInItsConnectCallback) {
  make();
  server->then_connected = [&](auto*) { stop_server(); };
  ASSERT_EQ(server->start(), DOCA_SUCCESS);
  ASSERT_EQ(client->start(), DOCA_ERROR_IN_PROGRESS);
  expect_both_idle();
}

TEST_P(ComchLifeTest, TheServerSpeaksInItsConnectCallbackAndDisconnects) {
  make();
  server->then_connected = [&](doca_comch_connection* connection) {
    EXPECT_EQ(server->send(connection, "go away"), DOCA_SUCCESS);
    EXPECT_EQ(doca_comch_server_disconnect(server->server, connection), DOCA_SUCCESS);
  };
  ASSERT_EQ(server->start(), DOCA_SUCCESS);
  ASSERT_EQ(client->start(), DOCA_ERROR_IN_PROGRESS);
  EXPECT_TRUE(client->run_until_idle());
  EXPECT_EQ(client->received, std::vector<std::string>{"go away"});
  EXPECT_EQ(server->state(), DOCA_CTX_STATE_RUNNING);
}

TEST_P(ComchLifeTest, TheClientSpeaksWhenItRunsAndStopsWhenItIsAnswered) {
  make();
  client->then_state = [&](doca_ctx_states now) {
    if (now == DOCA_CTX_STATE_RUNNING) {
      EXPECT_EQ(client->send("hello"), DOCA_SUCCESS);
    }
  };
  client->then_receive = [&](auto*) { EXPECT_EQ(client->stop(), DOCA_ERROR_IN_PROGRESS); };
  server->then_receive = [&](doca_comch_connection* from) {
    EXPECT_EQ(server->send(from, "welcome"), DOCA_SUCCESS);
  };
  ASSERT_EQ(server->start(), DOCA_SUCCESS);
  ASSERT_EQ(client->start(), DOCA_ERROR_IN_PROGRESS);
  ASSERT_TRUE(client->run_until_idle());
  EXPECT_EQ(client->received, std::vector<std::string>{"welcome"});
  EXPECT_EQ(client->states, (std::vector{DOCA_CTX_STATE_STARTING, DOCA_CTX_STATE_RUNNING,
                                         DOCA_CTX_STATE_STOPPING, DOCA_CTX_STATE_IDLE}));
}

TEST_P(ComchLifeTest, WhatWasSubmittedBeforeTheStopIsDelivered) {
  settings.tasks = 1024;
  connect();
  for (int n = 0; n < 1024; ++n) {
    ASSERT_EQ(server->send(server->connections.front(), "still"), DOCA_SUCCESS);
  }
  std::size_t received_before_the_end = 0;
  client->then_state = [&](doca_ctx_states now) {
    if (now == DOCA_CTX_STATE_STOPPING) received_before_the_end = client->received.size();
  };
  EXPECT_EQ(server->stop(), DOCA_ERROR_IN_PROGRESS);
  expect_both_idle();
  EXPECT_EQ(received_before_the_end, 1024u);
  EXPECT_EQ(server->completions, std::vector<doca_error_t>(1024, DOCA_SUCCESS));
}

TEST_P(ComchLifeTest, TheClientsLastWordsArriveToo) {
  settings.tasks = 300;
  connect();
  for (int n = 0; n < 300; ++n) ASSERT_EQ(client->send("still"), DOCA_SUCCESS);
  EXPECT_EQ(client->stop(), DOCA_ERROR_IN_PROGRESS);
  ASSERT_TRUE(client->run_until_idle());
  ASSERT_TRUE(server->run_until([&] { return server->endings == 1; }));
  EXPECT_EQ(server->received.size(), 300u);
}

TEST_P(ComchLifeTest, AStartingClientIsStopped) {
  make();
  ASSERT_EQ(server->start(), DOCA_SUCCESS);
  ASSERT_EQ(client->start(), DOCA_ERROR_IN_PROGRESS);
  EXPECT_EQ(client->stop(), DOCA_ERROR_IN_PROGRESS);
  EXPECT_TRUE(client->run_until_idle());
  EXPECT_TRUE(client->connect());
}

TEST_P(ComchLifeTest, ATaskThatWasNeverSubmittedKeepsItsContextStopping) {
  connect();
  doca_comch_task_send* task = nullptr;
  ASSERT_EQ(server->allocate(server->connections.front(), "kept", &task), DOCA_SUCCESS);
  EXPECT_EQ(server->stop(), DOCA_ERROR_IN_PROGRESS);
  ASSERT_TRUE(client->run_until_idle());
  ASSERT_TRUE(server->run_until([&] { return server->endings == 1; }));
  EXPECT_EQ(server->state(), DOCA_CTX_STATE_STOPPING);
  EXPECT_EQ(doca_comch_server_destroy(server->server), DOCA_ERROR_IN_USE);
  doca_task_free(doca_comch_task_send_as_task(task));
  EXPECT_TRUE(server->run_until_idle());
}

TEST_P(ComchLifeTest, DevicesMayBeClosedAtAnyTime) {
  make();
  server->device.close();
  client->device.close();
  connect();
  server->representor.close();
  ASSERT_EQ(client->send("hello"), DOCA_SUCCESS);
  ASSERT_TRUE(server->run_until([&] { return server->received.size() == 1; }));
  EXPECT_EQ(client->stop(), DOCA_ERROR_IN_PROGRESS);
  ASSERT_TRUE(client->run_until_idle());
}

TEST_P(ComchLifeTest, WhatIsIdleIsDestroyedWhileTheOtherRuns) {
  connect();
  EXPECT_EQ(doca_pe_destroy(pe), DOCA_ERROR_IN_USE);
  EXPECT_EQ(client->stop(), DOCA_ERROR_IN_PROGRESS);
  ASSERT_TRUE(client->run_until_idle());
  client.reset();
  ASSERT_TRUE(server->run_until([&] { return server->endings == 1; }));
  client.emplace(pe, settings);
  ASSERT_TRUE(client->connect());
  ASSERT_TRUE(server->run_until([&] { return server->connections.size() == 1; }));
  EXPECT_EQ(server->stop(), DOCA_ERROR_IN_PROGRESS);
  ASSERT_TRUE(server->run_until_idle());
  server.reset();
  EXPECT_TRUE(client->run_until_idle());
}

TEST_P(ComchLifeTest, EachIsDestroyedInTheCallbackThatTellsThatItIsIdle) {
  make();
  const auto destroy_server = [&](doca_ctx_states now) {
    if (now != DOCA_CTX_STATE_IDLE) return;
    EXPECT_EQ(doca_comch_server_destroy(server->server), DOCA_SUCCESS);
    server->server = nullptr;
  };
  client->then_state = [&](doca_ctx_states now) {
    if (now != DOCA_CTX_STATE_IDLE) return;
    EXPECT_EQ(doca_comch_client_destroy(client->client), DOCA_SUCCESS);
    client->client = nullptr;
  };
  connect();
  server->then_state = destroy_server;
  EXPECT_EQ(server->stop(), DOCA_ERROR_IN_PROGRESS);
  const auto both_gone = [&] { return server->server == nullptr && client->client == nullptr; };
  ASSERT_TRUE(until(pe, both_gone, GetParam()));
  // At once, in the call itself.
  server.emplace(pe, settings);
  ASSERT_EQ(server->start(), DOCA_SUCCESS);
  server->then_state = destroy_server;
  EXPECT_EQ(server->stop(), DOCA_SUCCESS);
  EXPECT_EQ(server->server, nullptr);
  // In a callback of its own that has it stop.
  server.emplace(pe, settings);
  client.emplace(pe, settings);
  connect();
  server->then_state = destroy_server;
  server->then_disconnected = [&](auto*) { EXPECT_EQ(server->stop(), DOCA_SUCCESS); };
  EXPECT_EQ(client->stop(), DOCA_ERROR_IN_PROGRESS);
  EXPECT_TRUE(client->run_until_idle());
  EXPECT_TRUE(until(pe, [&] { return server->server == nullptr; }, GetParam()));
}

TEST_P(ComchLifeTest, BothStartAgainAsOftenAsTheyLike) {
  for (int run = 0; run < 3; ++run) {
    connect();
    ASSERT_EQ(client->send("hello"), DOCA_SUCCESS);
    const std::size_t wanted = static_cast<std::size_t>(run) + 1;
    ASSERT_TRUE(server->run_until([&] { return server->received.size() == wanted; }));
    EXPECT_EQ(server->stop(), DOCA_ERROR_IN_PROGRESS);
    ASSERT_TRUE(server->run_until_idle());
    ASSERT_TRUE(client->run_until_idle());
  }
}

TEST_P(ComchLifeTest, AServerEndsIdleWhateverItsClientsDo) {
  make();
  std::vector<std::unique_ptr<ClientParty>> more;
  more.reserve(20);
  for (int n = 0; n < 20; ++n) more.push_back(std::make_unique<ClientParty>(pe, settings));
  connect();
  for (const auto& one : more) ASSERT_TRUE(one->connect());
  for (const auto& one : more) ASSERT_EQ(one->send("hello"), DOCA_SUCCESS);
  for (std::size_t n = 0; n < more.size(); n += 3) {
    EXPECT_EQ(more[n]->stop(), DOCA_ERROR_IN_PROGRESS);
  }
  EXPECT_EQ(server->stop(), DOCA_ERROR_IN_PROGRESS);
  EXPECT_TRUE(server->run_until_idle());
  EXPECT_EQ(server->endings, 21);
  for (const auto& one : more) EXPECT_TRUE(one->run_until_idle());
}

INSTANTIATE_TEST_SUITE_P(Waiting, ComchLifeTest,
                         testing::Values(Waiting::kPolling, Waiting::kEpoll, Waiting::kEpollAll),
                         [](const auto& waiting) { return name(waiting.param); });

}  // namespace
}  // namespace comch::test
