// doca_comch_client: what it is made on, and its one connection. What it shares with servers is
// in comch_endpoint_test.cc.
#include "doca/comch_client.h"

#include <gtest/gtest.h>

#include "doca/control_parties.h"

namespace comch::test {
namespace {

struct ComchClientTest : ControlTest {
  doca_comch_connection* connection = nullptr;
};

TEST_F(ComchClientTest, NullIsRefused) {
  ServerParty server(pe);
  ClientParty client(pe);
  doca_comch_client* made = nullptr;
  doca_comch_task_send* task = nullptr;
  EXPECT_EQ(doca_comch_client_create(nullptr, "c", &made), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_client_create(client.device, nullptr, &made), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_client_create(client.device, "c", nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_client_get_connection(nullptr, &connection), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_client_get_connection(client.client, nullptr), DOCA_ERROR_INVALID_VALUE);
  ASSERT_EQ(server.start(), DOCA_SUCCESS);
  ASSERT_TRUE(client.connect());
  doca_comch_connection* const peer = client.connection();
  const auto allocate = doca_comch_client_task_send_alloc_init;
  EXPECT_EQ(allocate(nullptr, peer, "x", 1, &task), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(allocate(client.client, nullptr, "x", 1, &task), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(allocate(client.client, peer, nullptr, 1, &task), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(allocate(client.client, peer, "x", 1, nullptr), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(ComchClientTest, LivesOnTheHost) {
  const OpenDevice dpu(kDpuPci);
  doca_comch_client* made = nullptr;
  EXPECT_EQ(doca_comch_client_create(dpu, "c", &made), DOCA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(made, nullptr);
  const ClientParty client(pe);
  doca_dev* device = nullptr;
  EXPECT_EQ(doca_comch_client_get_device(client.client, &device), DOCA_SUCCESS);
  EXPECT_EQ(device, static_cast<doca_dev*>(client.device));
}

// Programs that ask for the state behind each call put their word on the connection then.
TEST_F(ComchClientTest, RunsForOneCallBeforeAMessageComes) {
  ServerParty server(pe);
  ClientParty client(pe);
  server.then_connected = [&](doca_comch_connection* peer) {
    EXPECT_EQ(server.send(peer, "the server speaks first"), DOCA_SUCCESS);
  };
  ASSERT_EQ(server.start(), DOCA_SUCCESS);
  ASSERT_EQ(doca_ctx_start(client.ctx()), DOCA_ERROR_IN_PROGRESS);
  ASSERT_TRUE(until(pe, [&] { return client.state() == DOCA_CTX_STATE_RUNNING; }));
  EXPECT_TRUE(client.received.empty());
  ASSERT_TRUE(until(pe, [&] { return !client.received.empty(); }));
  EXPECT_EQ(client.received, std::vector<std::string>{"the server speaks first"});
}

TEST_F(ComchClientTest, HasAConnectionOnlyWhileItIsStarted) {
  ServerParty server(pe);
  ClientParty client(pe);
  ASSERT_EQ(server.start(), DOCA_SUCCESS);
  EXPECT_EQ(doca_comch_client_get_connection(client.client, &connection), DOCA_ERROR_BAD_STATE);
  doca_error_t in_callback = DOCA_ERROR_UNKNOWN;
  client.then_state = [&](doca_ctx_states now) {
    if (now == DOCA_CTX_STATE_RUNNING) {
      in_callback = doca_comch_client_get_connection(client.client, &connection);
    }
  };
  ASSERT_EQ(client.start(), DOCA_ERROR_IN_PROGRESS);
  EXPECT_EQ(doca_comch_client_get_connection(client.client, &connection), DOCA_ERROR_BAD_STATE);
  ASSERT_TRUE(client.run_until([&] { return client.state() == DOCA_CTX_STATE_RUNNING; }));
  EXPECT_EQ(in_callback, DOCA_SUCCESS);
  EXPECT_EQ(client.connection(), connection);
  EXPECT_EQ(client.stop(), DOCA_ERROR_IN_PROGRESS);
  ASSERT_TRUE(client.run_until_idle());
  EXPECT_EQ(doca_comch_client_get_connection(client.client, &connection), DOCA_ERROR_BAD_STATE);
}

TEST_F(ComchClientTest, ASizeThatTheServerHasNotEndsTheAttempt) {
  ServerParty server(pe, {.max_message = 64});
  ClientParty client(pe, {.max_message = 65});
  ASSERT_EQ(server.start(), DOCA_SUCCESS);
  EXPECT_FALSE(client.connect());
  EXPECT_TRUE(client.run_until_idle());
}

TEST_F(ComchClientTest, ConnectsAgainAfterTheServerHasGone) {
  ClientParty client(pe);
  for (int run = 0; run < 3; ++run) {
    ServerParty server(pe);
    ASSERT_EQ(server.start(), DOCA_SUCCESS);
    ASSERT_TRUE(client.connect());
    ASSERT_EQ(client.send("hello"), DOCA_SUCCESS);
    ASSERT_TRUE(server.run_until([&] { return server.received.size() == 1; }));
    EXPECT_EQ(server.stop(), DOCA_ERROR_IN_PROGRESS);
    ASSERT_TRUE(client.run_until_idle());
  }
}

}  // namespace
}  // namespace comch::test
