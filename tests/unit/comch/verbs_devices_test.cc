// Verbs devices: how devices that nobody described are described.
#include "comch/verbs_devices.h"

#include <gtest/gtest.h>

#include <tuple>
#include <vector>

#include "comch/comch.h"
#include "comch/device_file.h"

namespace comch {
namespace {

using transport::rdma::Address;
using transport::rdma::Port;
using transport::rdma::VerbsDevice;

Port port_with(const std::vector<const char*>& ips, const std::vector<const char*>& gids = {}) {
  Port port;
  port.active = true;
  for (const char* ip : ips) port.ips.push_back(Address::parse(ip).value());
  for (const char* gid : gids) port.gids.push_back(Address::parse(gid).value());
  return port;
}

DeviceInfo described(const VerbsDevice& device) {
  const auto devices = describe_verbs({device}, {});
  return devices.empty() ? DeviceInfo{} : devices.front();
}

TEST(VerbsDevicesTest, ServersAndClientsLiveOnThem) {
  const DeviceInfo device = described({.name = "mlx5_0", .ports = {port_with({"10.0.0.1"})}});
  EXPECT_EQ(device.name, "mlx5_0");
  EXPECT_TRUE(device.capability.server);
  EXPECT_TRUE(device.capability.client);
  ASSERT_TRUE(device.rdma);
  EXPECT_EQ(device.rdma->verbs, "mlx5_0");
  EXPECT_EQ(device.rdma->address, "10.0.0.1");
}

TEST(VerbsDevicesTest, NobodyMayConnectUntilTheServerSaysWho) {
  const auto device =
      std::make_shared<Device>(described({.name = "mlx5_0", .ports = {port_with({"10.0.0.1"})}}));
  const auto nobody = Representor::open_first(device);
  ASSERT_TRUE(nobody);
  EXPECT_TRUE((*nobody)->info().allow_hosts.empty());
  const auto engine = ProgressEngine::create().value();
  const auto server = Server::create(device, *nobody, "echo").value();
  const auto freed = [](SendTask& task) { std::ignore = task.free(); };
  ASSERT_TRUE(server->configure_send(1, freed, freed));
  ASSERT_TRUE(server->on_message([](auto&, auto) { return Receipt::kTaken; }));
  ASSERT_TRUE(server->on_connection([](Connection&, bool) {}, [](Connection&, bool) {}));
  ASSERT_TRUE(engine->connect(*server));
  EXPECT_EQ(server->start().error().code, Errc::bad_state);
  for (const char* host : {"10.0.0.2", "fe80::2%eth0", "gid:fe80::2", "h7.example", "any"}) {
    const auto representor = Representor::open(device, host);
    ASSERT_TRUE(representor) << host;
    EXPECT_EQ((*representor)->info().allow_hosts, std::vector<std::string>{host});
    EXPECT_EQ((*representor)->info().vuid, host);
    EXPECT_EQ((*representor)->info().pci, device->info().pci);
  }
  EXPECT_EQ(Representor::open(device, "no host").error().code, Errc::not_found);
}

TEST(VerbsDevicesTest, AnAddressThatMeansTheSameEverywhereIsPreferred) {
  const auto address = [](const Port& port) {
    return described({.name = "d", .ports = {port}}).rdma->address;
  };
  EXPECT_EQ(address(port_with({"fe80::1%1", "2001:db8::1", "10.0.0.1"})), "10.0.0.1");
  EXPECT_EQ(address(port_with({"fe80::1%1", "2001:db8::1"}, {"gid:fe80::1"})), "2001:db8::1");
  EXPECT_EQ(address(port_with({}, {"gid:fe80::1"})), "gid:fe80::1");
}

TEST(VerbsDevicesTest, APortWithoutALinkHasNoAddress) {
  Port down = port_with({"10.0.0.1"});
  down.active = false;
  EXPECT_EQ(described({.name = "d", .ports = {down}}).rdma->address, "");
  EXPECT_EQ(described({.name = "d", .ports = {down, port_with({"10.0.0.2"})}}).rdma->address,
            "10.0.0.2");
}

TEST(VerbsDevicesTest, EachHasAnAddressOfItsOwnAlsoWhereThereIsNoBus) {
  const auto devices = describe_verbs({{.name = "rxe0", .ports = {}},
                                       {.name = "rxe1", .ports = {}},
                                       {.name = "mlx5_0", .ports = {}, .function = "0000:5e:00.1"}},
                                      {});
  ASSERT_EQ(devices.size(), 3u);
  EXPECT_EQ(devices[0].pci, "ffff:00:00.0");
  EXPECT_EQ(devices[1].pci, "ffff:00:00.1");
  EXPECT_EQ(devices[2].pci, "0000:5e:00.1");
  for (const DeviceInfo& device : devices) EXPECT_EQ(normal_pci(device.pci), device.pci);
}

TEST(VerbsDevicesTest, WhatIsDescribedIsNotListedAgain) {
  const auto others = built_in_devices();
  EXPECT_TRUE(describe_verbs({{.name = "comch0", .ports = {}}}, others).empty());
  EXPECT_TRUE(
      describe_verbs({{.name = "d", .ports = {}, .function = "0000:03:00.0"}}, others).empty());
  EXPECT_EQ(describe_verbs({{.name = "rxe0", .ports = {}}}, others).size(), 1u);
}

}  // namespace
}  // namespace comch
