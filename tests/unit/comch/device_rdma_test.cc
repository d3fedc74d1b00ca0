// [device.rdma] and allow_hosts: what is taken, and what is refused with advice.
#include "comch/device_rdma.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "comch/device_file.h"
#include "comch/log.h"
#include "unit/comch/described_devices.h"

namespace comch {
namespace {

const std::string kLink = "[device.rdma]\naddress='10.0.0.2'\n";

struct DeviceRdmaTest : testing::Test {
  DeviceRdmaTest() {
    set_log_sink([this](LogLevel, std::string_view line) { log.emplace_back(line); });
  }
  ~DeviceRdmaTest() override { set_log_sink({}); }

  void expect_refused(const std::string& text, int line, const std::string& advice) {
    SCOPED_TRACE(text);
    log.clear();
    const auto devices = parse_devices(text, "test.toml");
    ASSERT_FALSE(devices);
    EXPECT_EQ(devices.error().code, Errc::bad_config);
    ASSERT_EQ(log.size(), 1u);
    EXPECT_TRUE(log[0].starts_with("test.toml:" + std::to_string(line) + ": ")) << log[0];
    EXPECT_NE(log[0].find(advice), std::string::npos) << log[0];
  }

  std::vector<std::string> log;
};

TEST_F(DeviceRdmaTest, ADeviceWithoutItMeetsItsPeersInSharedMemory) {
  const auto devices = parse_devices(kHost, "test.toml");
  ASSERT_TRUE(devices);
  EXPECT_FALSE(devices->front().rdma);
}

TEST_F(DeviceRdmaTest, EverySettingIsRead) {
  const auto devices = parse_devices(kHost +
                                         "[device.rdma]\nverbs='mlx5_0'\naddress='10.0.0.1'\n"
                                         "server='fe80::2%eth0'\nkey_file='/etc/comch/key'\n"
                                         "keepalive_ms=500\n",
                                     "test.toml");
  ASSERT_TRUE(devices);
  const RdmaLink wanted{.verbs = "mlx5_0",
                        .address = "10.0.0.1",
                        .server = "fe80::2%eth0",
                        .key_file = "/etc/comch/key",
                        .keepalive_ms = 500};
  EXPECT_EQ(devices->front().rdma, wanted);
}

TEST_F(DeviceRdmaTest, EverySettingMayBeLeftOut) {
  const auto devices = parse_devices(kHost + "[device.rdma]\n", "test.toml");
  ASSERT_TRUE(devices);
  EXPECT_EQ(devices->front().rdma, RdmaLink{});
  EXPECT_EQ(RdmaLink{}.keepalive_ms, 10'000u);
}

TEST_F(DeviceRdmaTest, ARepresentorNamesTheMachinesItLetsIn) {
  const auto devices =
      parse_devices(kDpu + kLink + kFunction + "allow_hosts=['10.0.0.1', 'h.example']\n", "t");
  ASSERT_TRUE(devices);
  EXPECT_EQ(devices->front().representors.front().allow_hosts,
            (std::vector<std::string>{"10.0.0.1", "h.example"}));
}

TEST_F(DeviceRdmaTest, ARepresentorThatLetsNobodyInIsAMistake) {
  expect_refused(kDpu + kLink + kFunction, 7, "allow_hosts = [");
  expect_refused(kDpu + kFunction + "allow_hosts=['any']\n", 7, "[device.rdma]");
}

TEST_F(DeviceRdmaTest, WhatCannotBeIsRefusedWithAdvice) {
  expect_refused(kHost + "rdma=1\n", 5, "write [device.rdma]");
  expect_refused(kHost + "[device.rdma]\nadress='10.0.0.1'\n", 6, "use one of");
  expect_refused(kHost + "[device.rdma]\naddress='10.0.0.1/24'\n", 6, "write it like 10.0.0.2");
  expect_refused(kHost + "[device.rdma]\nserver='rdma://10.0.0.1'\n", 6, "write it like");
  expect_refused(kHost + "[device.rdma]\nverbs=5\n", 6, "put it in quotes");
  expect_refused(kHost + "[device.rdma]\nkeepalive_ms=0\n", 6, "from 100 to 3600000");
  expect_refused(kDpu + "[device.rdma]\nserver='10.0.0.1'\n" + kFunction, 6, "host device");
  expect_refused(kDpu + kLink + kFunction + "allow_hosts='any'\n", 9, "is no list");
  expect_refused(kDpu + kLink + kFunction + "allow_hosts=['a b']\n", 9, "no address");
  expect_refused(kDpu + kLink + kFunction + "allow_hosts=[5]\n", 9, "no address");
}

}  // namespace
}  // namespace comch
