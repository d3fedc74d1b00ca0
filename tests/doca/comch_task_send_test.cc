// doca_comch_task_send: messages of every length, how many may be out, and what they arrive as.
#include <doca_comch.h>
#include <gtest/gtest.h>

#include <optional>

#include "doca/control_parties.h"

namespace comch::test {
namespace {

struct ComchTaskSendTest : ControlTest {
  std::optional<ServerParty> server;
  std::optional<ClientParty> client;

  void connect(const PartySettings& settings, std::uint32_t server_tasks = 0) {
    PartySettings of_server = settings;
    if (server_tasks != 0) of_server.tasks = server_tasks;
    server.emplace(pe, of_server);
    client.emplace(pe, settings);
    ASSERT_EQ(server->start(), DOCA_SUCCESS);
    ASSERT_TRUE(client->connect());
    ASSERT_TRUE(server->run_until([&] { return server->connections.size() == 1; }));
  }
};

TEST_F(ComchTaskSendTest, NullIsNoTask) {
  EXPECT_EQ(doca_comch_task_send_as_task(nullptr), nullptr);
}

TEST_F(ComchTaskSendTest, AMessageHasUpToTheMaximumOfBytes) {
  connect({.max_message = 64});
  const std::string longest(64, 'm');
  const std::string over(65, 'm');
  doca_comch_task_send* task = nullptr;
  EXPECT_EQ(client->allocate(client->connection(), over, &task), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(server->allocate(server->connections.front(), over, &task), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_client_task_send_alloc_init(client->client, client->connection(),
                                                   over.data(), UINT32_MAX, &task),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(task, nullptr);
  ASSERT_EQ(client->send(""), DOCA_SUCCESS);
  ASSERT_EQ(client->send("1"), DOCA_SUCCESS);
  ASSERT_EQ(client->send(longest), DOCA_SUCCESS);
  ASSERT_TRUE(server->run_until([&] { return server->received.size() == 3; }));
  EXPECT_EQ(server->received, (std::vector<std::string>{"", "1", longest}));
}

TEST_F(ComchTaskSendTest, TheDevicesMaximumArrivesWhole) {
  uint32_t most = 0;
  const OpenDevice device(kDpuPci);
  ASSERT_EQ(doca_comch_cap_get_max_msg_size(device.info(), &most), DOCA_SUCCESS);
  connect({.max_message = most});
  std::string message(most, '\0');
  for (std::size_t n = 0; n < message.size(); ++n) message[n] = static_cast<char>(n * 7);
  ASSERT_EQ(server->send(server->connections.front(), message), DOCA_SUCCESS);
  ASSERT_TRUE(client->run_until([&] { return client->received.size() == 1; }));
  EXPECT_EQ(client->received.front(), message);
}

TEST_F(ComchTaskSendTest, WhenEveryTaskIsOutThereIsNoMemory) {
  connect({.tasks = 2});
  doca_comch_task_send* first = nullptr;
  doca_comch_task_send* second = nullptr;
  doca_comch_task_send* third = nullptr;
  ASSERT_EQ(client->allocate(client->connection(), "1", &first), DOCA_SUCCESS);
  ASSERT_EQ(client->allocate(client->connection(), "2", &second), DOCA_SUCCESS);
  EXPECT_EQ(client->allocate(client->connection(), "3", &third), DOCA_ERROR_NO_MEMORY);
  EXPECT_EQ(third, nullptr);
  doca_task_free(doca_comch_task_send_as_task(first));
  EXPECT_EQ(client->allocate(client->connection(), "3", &third), DOCA_SUCCESS);
  doca_task_free(doca_comch_task_send_as_task(second));
  doca_task_free(doca_comch_task_send_as_task(third));
}

TEST_F(ComchTaskSendTest, AServerThatAnswersInItsCallbackNeedsNoMoreTasksThanAnswersAtATime) {
  connect({.queue = 16, .tasks = 8}, 1);
  int answered = 0;
  server->then_receive = [&](doca_comch_connection* from) {
    if (server->send(from, "answer") == DOCA_SUCCESS) ++answered;
  };
  for (int n = 0; n < 8; ++n) ASSERT_EQ(client->send("question"), DOCA_SUCCESS);
  ASSERT_TRUE(server->run_until([&] { return server->received.size() == 8; }));
  EXPECT_EQ(answered, 8) << "completions are told of before the next message is shown";
  ASSERT_TRUE(client->run_until([&] { return client->received.size() == 8; }));
}

TEST_F(ComchTaskSendTest, ATaskIsForAConnectionOfItsOwnContext) {
  connect({});
  doca_comch_task_send* task = nullptr;
  EXPECT_EQ(client->allocate(server->connections.front(), "x", &task), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(server->allocate(client->connection(), "x", &task), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(task, nullptr);
}

// What the documents' sample programs do: 1024 tasks, a queue of 10, the longest messages.
TEST_F(ComchTaskSendTest, WhatCanBeAllocatedHasRoomToBeSent) {
  connect({.max_message = 4080, .queue = 10, .tasks = 1024});
  std::vector<std::string> sent;
  for (int n = 0; n < 1024; ++n) {
    std::string message = std::to_string(n);
    message.resize(4080, '.');
    sent.push_back(std::move(message));
  }
  for (const std::string& message : sent) ASSERT_EQ(client->send(message), DOCA_SUCCESS);
  doca_comch_task_send* none = nullptr;
  EXPECT_EQ(client->allocate(client->connection(), "x", &none), DOCA_ERROR_NO_MEMORY);
  ASSERT_TRUE(server->run_until([&] { return server->received.size() == sent.size(); }));
  EXPECT_EQ(server->received, sent);
  ASSERT_TRUE(client->run_until([&] { return client->completions.size() == sent.size(); }));
  EXPECT_EQ(client->completions, std::vector<doca_error_t>(sent.size(), DOCA_SUCCESS));
}

TEST_F(ComchTaskSendTest, TheReceiverMayWriteIntoTheBytesItIsShown) {
  const OpenDevice dpu(kDpuPci);
  connect({});
  static std::vector<std::string> seen;
  seen.clear();
  ASSERT_EQ(server->send(server->connections.front(), "first"), DOCA_SUCCESS);
  ASSERT_TRUE(client->run_until([&] { return client->received.size() == 1; }));
  EXPECT_EQ(client->stop(), DOCA_ERROR_IN_PROGRESS);
  ASSERT_TRUE(client->run_until_idle());
  ASSERT_EQ(doca_comch_client_event_msg_recv_register(
                client->client,
                [](doca_comch_event_msg_recv* event, uint8_t* bytes, uint32_t length,
                   doca_comch_connection*) {
                  EXPECT_NE(event, nullptr);
                  EXPECT_NE(bytes, nullptr);
                  seen.emplace_back(reinterpret_cast<const char*>(bytes), length);
                  std::fill_n(bytes, length, uint8_t{'!'});
                }),
            DOCA_SUCCESS);
  ASSERT_TRUE(client->connect());
  ASSERT_TRUE(server->run_until([&] { return server->connections.size() == 1; }));
  for (const char* message : {"abc", "abcd", ""}) {
    ASSERT_EQ(server->send(server->connections.front(), message), DOCA_SUCCESS);
  }
  ASSERT_TRUE(client->run_until([&] { return seen.size() == 3; }));
  EXPECT_EQ(seen, (std::vector<std::string>{"abc", "abcd", ""}));
}

}  // namespace
}  // namespace comch::test
