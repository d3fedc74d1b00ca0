// doca_comch_server: what it is made on, its clients, and the end of their connections. What it
// shares with clients is in comch_endpoint_test.cc.
#include "doca/comch_server.h"

#include <gtest/gtest.h>

#include <memory>

#include "doca/control_parties.h"
#include "support/described_devices.h"

namespace comch::test {
namespace {

constexpr const char* kTwoClients = R"(
[[device]]
name = "dpu"
pci = "0000:03:00.0"
side = "dpu"
[device.limits]
max_clients = 2
[[device.representor]]
pci = "0000:b1:00.0"
[[device]]
name = "host"
pci = "0000:b1:00.0"
side = "host"
)";

struct ComchServerTest : ControlTest {
  doca_comch_server* made = nullptr;
};

TEST_F(ComchServerTest, NullIsRefused) {
  ServerParty server(pe);
  ClientParty client(pe);
  doca_comch_task_send* task = nullptr;
  const auto status = [](doca_comch_event_connection_status_changed*, doca_comch_connection*,
                         uint8_t) {};
  EXPECT_EQ(doca_comch_server_create(nullptr, server.representor, "s", &made),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_server_create(server.device, nullptr, "s", &made), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_server_create(server.device, server.representor, nullptr, &made),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_server_create(server.device, server.representor, "s", nullptr),
            DOCA_ERROR_INVALID_VALUE);
  doca_dev_rep* representor = nullptr;
  EXPECT_EQ(doca_comch_server_get_device_rep(nullptr, &representor), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_server_get_device_rep(server.server, nullptr), DOCA_ERROR_INVALID_VALUE);
  const auto register_status = doca_comch_server_event_connection_status_changed_register;
  EXPECT_EQ(register_status(nullptr, status, status), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(register_status(server.server, nullptr, status), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(register_status(server.server, status, nullptr), DOCA_ERROR_INVALID_VALUE);
  ASSERT_EQ(server.start(), DOCA_SUCCESS);
  ASSERT_TRUE(client.connect());
  ASSERT_TRUE(server.run_until([&] { return server.connections.size() == 1; }));
  EXPECT_EQ(register_status(server.server, status, status), DOCA_ERROR_BAD_STATE);
  doca_comch_connection* const connection = server.connections.front();
  const auto allocate = doca_comch_server_task_send_alloc_init;
  EXPECT_EQ(allocate(nullptr, connection, "x", 1, &task), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(allocate(server.server, nullptr, "x", 1, &task), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(allocate(server.server, connection, nullptr, 1, &task), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(allocate(server.server, connection, "x", 1, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_server_disconnect(nullptr, connection), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_server_disconnect(server.server, nullptr), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(ComchServerTest, TellsWhatItWasMadeOn) {
  const ServerParty server(pe);
  doca_dev* device = nullptr;
  doca_dev_rep* representor = nullptr;
  EXPECT_EQ(doca_comch_server_get_device(server.server, &device), DOCA_SUCCESS);
  EXPECT_EQ(device, static_cast<doca_dev*>(server.device));
  EXPECT_EQ(doca_comch_server_get_device_rep(server.server, &representor), DOCA_SUCCESS);
  EXPECT_EQ(representor, static_cast<doca_dev_rep*>(server.representor));
}

TEST_F(ComchServerTest, LivesOnADpuWithARepresentorOfItsOwn) {
  {
    const OpenDevice host(kHostPci);
    const OpenDevice dpu(kDpuPci);
    const OpenRepresentor function(dpu, kHostPci);
    EXPECT_EQ(doca_comch_server_create(host, function, "s", &made), DOCA_ERROR_NOT_SUPPORTED);
  }
  const DescribedDevices file(kTwoDpus);
  const OpenDevice first(kDpuPci);
  const OpenDevice second("04:00.0");
  const OpenRepresentor of_second(second, "b2:00.0");
  EXPECT_EQ(doca_comch_server_create(first, of_second, "s", &made), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(made, nullptr);
  ASSERT_EQ(doca_comch_server_create(second, of_second, "s", &made), DOCA_SUCCESS);
  EXPECT_EQ(doca_comch_server_destroy(made), DOCA_SUCCESS);
}

TEST_F(ComchServerTest, TakesAsManyClientsAsTheDeviceSays) {
  const DescribedDevices file(kTwoClients);
  ServerParty server(pe);
  ClientParty first(pe);
  ClientParty second(pe);
  ClientParty third(pe);
  uint32_t most = 0;
  EXPECT_EQ(doca_comch_cap_get_max_clients(server.device.info(), &most), DOCA_SUCCESS);
  EXPECT_EQ(most, 2u);
  ASSERT_EQ(server.start(), DOCA_SUCCESS);
  EXPECT_TRUE(first.connect());
  EXPECT_TRUE(second.connect());
  EXPECT_FALSE(third.connect());
  EXPECT_TRUE(third.run_until_idle());
  EXPECT_EQ(first.stop(), DOCA_ERROR_IN_PROGRESS);
  ASSERT_TRUE(server.run_until([&] { return server.endings == 1; }));
  EXPECT_TRUE(third.connect());
}

// 512 is what a program may count on where nothing is said; the engine's own default is below
// what the capability promises.
TEST_F(ComchServerTest, MoreClientsThanFiveHundredAndTwelveAreWelcome) {
  constexpr std::size_t kClients = 520;
  const PartySettings small{.max_message = 64, .queue = 1, .tasks = 1};
  ServerParty server(pe, small);
  ASSERT_EQ(server.start(), DOCA_SUCCESS);
  std::vector<std::unique_ptr<ClientParty>> clients;
  for (std::size_t n = 0; n < kClients; ++n) {
    clients.push_back(std::make_unique<ClientParty>(pe, small));
    ASSERT_TRUE(clients.back()->connect()) << n;
  }
  EXPECT_EQ(server.connections.size(), kClients);
}

TEST_F(ComchServerTest, DisconnectEndsOneConnectionAfterItsMessages) {
  ServerParty server(pe);
  ClientParty stays(pe);
  ClientParty goes(pe);
  ASSERT_EQ(server.start(), DOCA_SUCCESS);
  ASSERT_TRUE(stays.connect());
  ASSERT_TRUE(goes.connect());
  ASSERT_TRUE(server.run_until([&] { return server.connections.size() == 2; }));
  doca_comch_connection* const connection = server.connections.back();
  std::string at_the_end = "not told";
  server.then_disconnected = [&](doca_comch_connection* over) {
    EXPECT_EQ(over, connection);
    // The handle and its user data are whole in this callback.
    at_the_end = static_cast<const char*>(doca_comch_connection_get_user_data(over).ptr);
  };
  char word[] = "mine";
  ASSERT_EQ(doca_comch_connection_set_user_data(connection, {.ptr = word}), DOCA_SUCCESS);
  for (int n = 0; n < 16; ++n) ASSERT_EQ(server.send(connection, "before"), DOCA_SUCCESS);
  EXPECT_EQ(doca_comch_server_disconnect(server.server, connection), DOCA_SUCCESS);
  ASSERT_TRUE(goes.run_until_idle());
  EXPECT_EQ(goes.received, std::vector<std::string>(16, "before"));
  ASSERT_TRUE(server.run_until([&] { return server.endings == 1; }));
  server.then_disconnected = [](auto*) {};
  EXPECT_EQ(at_the_end, "mine");
  EXPECT_EQ(stays.state(), DOCA_CTX_STATE_RUNNING);
  EXPECT_EQ(server.state(), DOCA_CTX_STATE_RUNNING);
}

TEST_F(ComchServerTest, WhatIsEndingOrEndedOrAnothersIsNotDisconnected) {
  ServerParty server(pe);
  ServerParty other(pe, {.name = "other"});
  ClientParty client(pe);
  ASSERT_EQ(server.start(), DOCA_SUCCESS);
  ASSERT_TRUE(client.connect());
  ASSERT_TRUE(server.run_until([&] { return server.connections.size() == 1; }));
  doca_comch_connection* const connection = server.connections.front();
  EXPECT_EQ(doca_comch_server_disconnect(other.server, connection), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_server_disconnect(server.server, client.connection()),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_server_disconnect(server.server, connection), DOCA_SUCCESS);
  EXPECT_EQ(doca_comch_server_disconnect(server.server, connection), DOCA_ERROR_INVALID_VALUE);
  ASSERT_TRUE(server.run_until([&] { return server.endings == 1; }));
  EXPECT_EQ(doca_comch_server_disconnect(server.server, connection), DOCA_ERROR_INVALID_VALUE);
  ASSERT_TRUE(client.run_until_idle());
}

}  // namespace
}  // namespace comch::test
