// doca_comch_connection: whose it is, its user data and counters, and what it says when over.
#include "doca/comch_connection.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

#include "doca/any_number.h"
#include "doca/control_parties.h"

namespace comch::test {
namespace {

struct ComchConnectionTest : ControlTest {
  ServerParty server{pe};
  ClientParty client{pe};

  void SetUp() override { connect(); }
  void connect() {
    if (server.state() == DOCA_CTX_STATE_IDLE) {
      ASSERT_EQ(server.start(), DOCA_SUCCESS);
    }
    ASSERT_TRUE(client.connect());
    ASSERT_TRUE(server.run_until([&] { return server.connections.size() == 1; }));
  }
  void end_by_client() {
    const int endings = server.endings;
    EXPECT_EQ(client.stop(), DOCA_ERROR_IN_PROGRESS);
    ASSERT_TRUE(client.run_until_idle());
    ASSERT_TRUE(server.run_until([&] { return server.endings == endings + 1; }));
  }
  doca_comch_connection* of_server() const { return server.connections.front(); }
  static uint64_t counter(const doca_comch_connection* connection, doca_comch_counter which) {
    uint64_t value = ~uint64_t{0};
    EXPECT_EQ(doca_comch_connection_get_counter(connection, which, &value), DOCA_SUCCESS);
    return value;
  }
  static std::array<uint64_t, 4> counters(const doca_comch_connection* connection) {
    return {counter(connection, DOCA_COMCH_COUNTER_SENT_MESSAGES),
            counter(connection, DOCA_COMCH_COUNTER_SENT_BYTES),
            counter(connection, DOCA_COMCH_COUNTER_RECV_MESSAGES),
            counter(connection, DOCA_COMCH_COUNTER_RECV_BYTES)};
  }
};
using Counts = std::array<uint64_t, 4>;

TEST_F(ComchConnectionTest, NullIsRefusedOrAnsweredWithNothing) {
  uint64_t value = 0;
  EXPECT_EQ(doca_comch_connection_set_user_data(nullptr, {}), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_connection_get_user_data(nullptr).u64, 0u);
  EXPECT_EQ(doca_comch_server_get_server_ctx(nullptr), nullptr);
  EXPECT_EQ(doca_comch_client_get_client_ctx(nullptr), nullptr);
  EXPECT_EQ(doca_comch_connection_update_info(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_connection_get_counter(nullptr, DOCA_COMCH_COUNTER_SENT_BYTES, &value),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_connection_get_counter(of_server(), DOCA_COMCH_COUNTER_SENT_BYTES, nullptr),
            DOCA_ERROR_INVALID_VALUE);
}

TEST_F(ComchConnectionTest, BelongsToAServerOrToAClient) {
  EXPECT_EQ(doca_comch_server_get_server_ctx(of_server()), server.server);
  EXPECT_EQ(doca_comch_client_get_client_ctx(of_server()), nullptr);
  EXPECT_EQ(doca_comch_client_get_client_ctx(client.connection()), client.client);
  EXPECT_EQ(doca_comch_server_get_server_ctx(client.connection()), nullptr);
}

TEST_F(ComchConnectionTest, UserDataIsNothingUntilItIsSet) {
  for (doca_comch_connection* const connection : {of_server(), client.connection()}) {
    EXPECT_EQ(doca_comch_connection_get_user_data(connection).u64, 0u);
    EXPECT_EQ(doca_comch_connection_set_user_data(connection, {.u64 = 5}), DOCA_SUCCESS);
    EXPECT_EQ(doca_comch_connection_get_user_data(connection).u64, 5u);
  }
  end_by_client();
  connect();
  EXPECT_EQ(doca_comch_connection_get_user_data(client.connection()).u64, 0u);
  EXPECT_EQ(doca_comch_connection_get_user_data(of_server()).u64, 0u);
}

TEST_F(ComchConnectionTest, CountersAreThoseOfTheLastUpdate) {
  ASSERT_EQ(client.send("four"), DOCA_SUCCESS);
  ASSERT_EQ(client.send("sixsix"), DOCA_SUCCESS);
  ASSERT_EQ(server.send(of_server(), "me"), DOCA_SUCCESS);
  ASSERT_TRUE(
      server.run_until([&] { return server.received.size() == 2 && client.received.size() == 1; }));
  EXPECT_EQ(counters(client.connection()), (Counts{0, 0, 0, 0}));
  EXPECT_EQ(doca_comch_connection_update_info(client.connection()), DOCA_SUCCESS);
  EXPECT_EQ(doca_comch_connection_update_info(of_server()), DOCA_SUCCESS);
  EXPECT_EQ(counters(client.connection()), (Counts{2, 10, 1, 2}));
  EXPECT_EQ(counters(of_server()), (Counts{1, 2, 2, 10}));
}

TEST_F(ComchConnectionTest, ThereAreFourCounters) {
  uint64_t value = 0;
  for (const std::uint32_t number : {0U, 5U, UINT32_MAX}) {
    EXPECT_EQ(get_counter_number(of_server(), number, &value), DOCA_ERROR_INVALID_VALUE);
  }
}

TEST_F(ComchConnectionTest, AHandleThatOutlivesItsConnectionSaysThatItIsOver) {
  doca_comch_connection* const of_client = client.connection();
  doca_comch_connection* const kept = of_server();
  ASSERT_EQ(client.send("four"), DOCA_SUCCESS);
  ASSERT_TRUE(server.run_until([&] { return server.received.size() == 1; }));
  EXPECT_EQ(doca_comch_connection_update_info(kept), DOCA_SUCCESS);
  ASSERT_EQ(doca_comch_connection_set_user_data(kept, {.u64 = 9}), DOCA_SUCCESS);
  end_by_client();
  EXPECT_EQ(doca_comch_connection_update_info(of_client), DOCA_ERROR_CONNECTION_ABORTED);
  EXPECT_EQ(doca_comch_connection_update_info(kept), DOCA_ERROR_CONNECTION_ABORTED);
  EXPECT_EQ(counters(kept), (Counts{0, 0, 1, 4}));
  EXPECT_EQ(doca_comch_connection_get_user_data(kept).u64, 9u);
  EXPECT_EQ(doca_comch_server_get_server_ctx(kept), server.server);
  EXPECT_EQ(server.send(kept, "late"), DOCA_ERROR_NOT_CONNECTED);
  EXPECT_EQ(client.send(of_client, "late"), DOCA_ERROR_NOT_CONNECTED);
  connect();
  EXPECT_NE(of_server(), kept);
  EXPECT_EQ(doca_comch_connection_update_info(kept), DOCA_ERROR_CONNECTION_ABORTED);
}

TEST_F(ComchConnectionTest, InTheDisconnectCallbackItIsOverButWhole) {
  doca_error_t update = DOCA_SUCCESS;
  Counts last{};
  server.then_disconnected = [&](doca_comch_connection* over) {
    update = doca_comch_connection_update_info(over);
    last = counters(over);
  };
  ASSERT_EQ(client.send("four"), DOCA_SUCCESS);
  ASSERT_TRUE(server.run_until([&] { return server.received.size() == 1; }));
  end_by_client();
  EXPECT_EQ(update, DOCA_ERROR_CONNECTION_ABORTED);
  EXPECT_EQ(last, (Counts{0, 0, 1, 4}));
}

TEST_F(ComchConnectionTest, OfAStartingClientItIsInProgress) {
  doca_comch_connection* const kept = client.connection();
  end_by_client();
  ASSERT_EQ(client.start(), DOCA_ERROR_IN_PROGRESS);
  EXPECT_EQ(doca_comch_connection_update_info(kept), DOCA_ERROR_CONNECTION_INPROGRESS);
  ASSERT_TRUE(client.run_until([&] { return client.state() == DOCA_CTX_STATE_RUNNING; }));
  EXPECT_EQ(doca_comch_connection_update_info(kept), DOCA_SUCCESS);
}

TEST_F(ComchConnectionTest, AHandleIsUsedAgainOnlyAfterAThousandOthers) {
  std::set<doca_comch_connection*> handles;
  server.then_connected = [&](doca_comch_connection* connection) { handles.insert(connection); };
  doca_comch_connection* const first = of_server();
  for (std::size_t n = 0; n < doca::ConnectionHandles::kParked; ++n) {
    end_by_client();
    connect();
    ASSERT_NE(of_server(), first) << n;
  }
  EXPECT_EQ(handles.size(), doca::ConnectionHandles::kParked);
  end_by_client();
  connect();
  EXPECT_EQ(of_server(), first);
  EXPECT_EQ(doca_comch_connection_update_info(first), DOCA_SUCCESS);
}

}  // namespace
}  // namespace comch::test
