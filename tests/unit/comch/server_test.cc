// Server: creation, configuration, names, admission, disconnecting.
#include "comch/server.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <set>
#include <string>

#include "support/described_devices.h"
#include "unit/comch/pair.h"

namespace comch {
namespace {

using namespace std::string_literals;
using test::ClientParty;
using test::ServerParty;
using enum ContextState;

struct ServerTest : test::Pair {};

TEST_F(ServerTest, AServerLivesOnADpuDeviceWithARepresentorOfItsOwn) {
  const auto dpu = test::dpu();
  const auto function = test::function();
  EXPECT_EQ(Server::create(test::host(), function, "s").error().code, Errc::not_supported);
  EXPECT_EQ(Server::create(nullptr, function, "s").error().code, Errc::invalid_value);
  EXPECT_EQ(Server::create(dpu, nullptr, "s").error().code, Errc::invalid_value);
  DeviceInfo info = dpu->info();
  info.pci = "0000:04:00.0";
  const auto other = std::make_shared<Device>(info);
  EXPECT_EQ(Server::create(other, function, "s").error().code, Errc::invalid_value);
  const auto server_made = Server::create(dpu, function, "s");
  ASSERT_TRUE(server_made);
  EXPECT_EQ((*server_made)->server_name(), "s");
  EXPECT_EQ((*server_made)->device(), dpu);
  EXPECT_EQ((*server_made)->representor(), function);
}

TEST_F(ServerTest, ANameIsOneToAHundredAndNineteenBytesWithoutSlashOrNul) {
  for (const std::string& bad : {""s, std::string(120, 'n'), "a/b"s, "a\0b"s, "."s, ".."s}) {
    EXPECT_EQ(Server::create(test::dpu(), test::function(), bad).error().code, Errc::invalid_value);
  }
  const test::Settings longest{.name = std::string(119, 'n')};
  ServerParty with_long_name(*engine, longest);
  ClientParty its_client(*engine, longest);
  ASSERT_TRUE(with_long_name->start());
  EXPECT_TRUE(its_client.connect()) << its_client->failure().text;
}

TEST_F(ServerTest, TheConnectionCallbacksAreMandatory) {
  auto bare = Server::create(test::dpu(), test::function(), "s").value();
  ASSERT_TRUE(engine->connect(*bare));
  ASSERT_TRUE(bare->configure_send(1, [](SendTask&) {}, [](SendTask&) {}));
  ASSERT_TRUE(bare->on_message([](Connection&, auto) { return Receipt::kTaken; }));
  EXPECT_EQ(bare->on_connection({}, [](auto&, bool) {}).error().code, Errc::invalid_value);
  EXPECT_EQ(bare->on_connection([](auto&, bool) {}, {}).error().code, Errc::invalid_value);
  EXPECT_EQ(bare->start().error().code, Errc::bad_state);
  ASSERT_TRUE(bare->on_connection([](auto&, bool) {}, [](auto&, bool) {}));
  EXPECT_EQ(bare->start(), kRunning);
}

TEST_F(ServerTest, ItsConfigurationIsPossibleOnlyWhileIdle) {
  EXPECT_EQ(server->set_max_clients(0).error().code, Errc::invalid_value);
  EXPECT_EQ(server->set_max_clients(65537).error().code, Errc::invalid_value);
  EXPECT_TRUE(server->set_max_clients(65536));
  EXPECT_EQ(server->max_clients(), 65536u);
  EXPECT_TRUE(server->set_access({.uids = {5}, .gids = {}}));
  EXPECT_EQ(server->access().uids, std::vector<std::uint32_t>{5});
  EXPECT_TRUE(server->set_owner({::geteuid(), ::getegid()}));
  ASSERT_TRUE(server->start());
  EXPECT_EQ(server->set_max_clients(1).error().code, Errc::bad_state);
  EXPECT_EQ(server->set_access({}).error().code, Errc::bad_state);
  EXPECT_EQ(server->set_owner({}).error().code, Errc::bad_state);
  EXPECT_EQ(server->on_connection([](auto&, bool) {}, [](auto&, bool) {}).error().code,
            Errc::bad_state);
}

TEST_F(ServerTest, AServerStartsAtOnceAndItsNameIsFreeAgainAtOnce) {
  ServerParty second(*engine);
  EXPECT_EQ(server->start(), kRunning);
  EXPECT_EQ(second->start().error().code, Errc::already_exist);
  EXPECT_EQ(second->state(), kIdle);
  EXPECT_EQ(second->failure().error.code, Errc::already_exist);
  EXPECT_EQ(server->stop(), kIdle);
  EXPECT_EQ(second->start(), kRunning);
}

TEST_F(ServerTest, ANameIsTakenOnOneRepresentorAndFreeOnAnother) {
  const test::DescribedDevices devices(test::kTwoFunctions);
  const auto dpu = Device::open("dpu0").value();
  const auto open_function = [&](const char* pci) { return Representor::open(dpu, pci).value(); };
  ServerParty first(*engine, {}, open_function("b1:00.0"));
  ServerParty second(*engine, {}, open_function("b1:00.1"));
  ServerParty third(*engine, {}, open_function("b1:00.1"));
  ClientParty to_second(*engine, {}, Device::open("host1").value());
  ASSERT_TRUE(first->start());
  EXPECT_FALSE(to_second.connect()) << "its function has no such server yet";
  EXPECT_EQ(to_second->failure().error.code, Errc::not_found);
  ASSERT_TRUE(second->start());
  EXPECT_EQ(third->start().error().code, Errc::already_exist);
  ASSERT_TRUE(to_second.connect());
  ASSERT_TRUE(run_until([&] { return second.connections.size() == 1; }));
  EXPECT_EQ(first->connections(), 0u);
}

TEST_F(ServerTest, AClientOverTheLimitIsRefusedAndOneMoreMayComeWhenOneHasGone) {
  ASSERT_TRUE(server->set_max_clients(1));
  connect();
  ClientParty second(*engine);
  EXPECT_FALSE(second.connect());
  EXPECT_EQ(second->failure().error.code, Errc::full);
  EXPECT_EQ(server->refused(), 1u);
  EXPECT_EQ(server->connections(), 1u);
  ASSERT_TRUE(client->stop());
  ASSERT_TRUE(run_until([&] { return server->connections() == 0; }));
  EXPECT_TRUE(second.connect());
}

TEST_F(ServerTest, AClientOfAnotherMessageSizeIsRefusedAndToldBothNumbers) {
  ASSERT_TRUE(server->start());
  ASSERT_TRUE(client->set_max_message_size(65));
  EXPECT_FALSE(client.connect());
  EXPECT_EQ(client->failure().error.code, Errc::invalid_value);
  EXPECT_NE(client->failure().text.find("server 64, client 65"), std::string::npos)
      << client->failure().text;
  EXPECT_EQ(server->refused(), 1u);
}

TEST_F(ServerTest, DisconnectEndsOneConnectionAndNotTheOthers) {
  connect();
  ClientParty second(*engine);
  ASSERT_TRUE(second.connect());
  ASSERT_TRUE(run_until([&] { return server.connections.size() == 2; }));
  Connection& victim = server.connection();
  ASSERT_TRUE(server->disconnect(victim));
  EXPECT_EQ(server->disconnect(victim).error().code, Errc::invalid_value);
  EXPECT_EQ(server->abort(victim).error().code, Errc::invalid_value);
  EXPECT_TRUE(server.endings.empty()) << "told from progress() only";
  ASSERT_TRUE(client.run_until_idle());
  EXPECT_EQ(client->failure().error.code, Errc::shutdown);
  ASSERT_TRUE(run_until([&] { return server.endings.size() == 1; }));
  EXPECT_EQ(second->state(), kRunning);
  EXPECT_EQ(server->disconnect(second.connection()).error().code, Errc::invalid_value)
      << "not this server's";
}

TEST_F(ServerTest, DisconnectedIsToldAfterTheLastMessage) {
  connect();
  bool ended = false;
  server.then_disconnected = [&](Connection&) {
    ended = true;
    EXPECT_EQ(server.received.size(), 3u);
  };
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(client.connection().try_send(test::bytes("m")));
  ASSERT_TRUE(client->stop());
  EXPECT_TRUE(run_until([&] { return ended; }));
}

TEST_F(ServerTest, AConnectionsNumberIsNeverUsedAgainAlsoNotAfterARestart) {
  std::set<ConnectionId> ids;
  for (int i = 0; i < 3; ++i) {
    connect();
    EXPECT_TRUE(ids.insert(server.connection().id()).second);
    ASSERT_TRUE(server->stop());
    ASSERT_TRUE(run_until_idle(*server.server));
    ASSERT_TRUE(client.run_until_idle());
  }
}

TEST_F(ServerTest, StoppingDisconnectsEveryClient) {
  connect();
  ClientParty second(*engine);
  ASSERT_TRUE(second.connect());
  ASSERT_TRUE(run_until([&] { return server.connections.size() == 2; }));
  EXPECT_EQ(server->stop(), kStopping);
  ASSERT_TRUE(run_until_idle(*server.server));
  EXPECT_EQ(server.endings.size(), 2u);
  ASSERT_TRUE(client.run_until_idle());
  ASSERT_TRUE(second.run_until_idle());
}

TEST_F(ServerTest, OnlyRootMayOwnAServerForAnotherUser) {
  if (::geteuid() == 0) {
    EXPECT_TRUE(server->set_owner({4000, 4000}));
  } else {
    EXPECT_EQ(server->set_owner({0, 0}).error().code, Errc::not_permitted);
  }
}

}  // namespace
}  // namespace comch
