// Device, Representor and the device file: what is found, and what is refused.
#include "comch/device.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "comch/device_file.h"
#include "comch/log.h"
#include "support/temp_dir.h"
#include "unit/comch/described_devices.h"

namespace comch {
namespace {

// Sets a variable of the environment, or takes it away, while it lives.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const char* value) : name_(name) {
    if (const char* before = ::getenv(name)) before_ = before;
    set(value);
  }
  ~ScopedVariable() { set(before_ ? before_->c_str() : nullptr); }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  void set(const char* value) const {
    if (value != nullptr) {
      ::setenv(name_, value, 1);
    } else {
      ::unsetenv(name_);
    }
  }

  const char* name_;
  std::optional<std::string> before_;
};

// The built-in fabric, whatever this machine has in /etc, and the log lines of a test.
struct DeviceTest : testing::Test {
  DeviceTest() {
    set_log_sink([this](LogLevel, std::string_view line) { log.emplace_back(line); });
  }
  ~DeviceTest() override { set_log_sink({}); }

  // The file of a test, also put in place for Device::open().
  Result<std::vector<DeviceInfo>> devices_of(const std::string& text) {
    return parse_devices(text, "test.toml");
  }

  // `text` is refused with one line, which begins "test.toml:LINE:" and says `advice`.
  void expect_refused(const std::string& text, int line, const std::string& advice) {
    SCOPED_TRACE(text);
    log.clear();
    const Result<std::vector<DeviceInfo>> devices = devices_of(text);
    ASSERT_FALSE(devices);
    EXPECT_EQ(devices.error().code, Errc::bad_config);
    ASSERT_EQ(log.size(), 1u);
    EXPECT_TRUE(log[0].starts_with("test.toml:" + std::to_string(line) + ": ")) << log[0];
    EXPECT_NE(log[0].find(advice), std::string::npos) << log[0];
  }

  std::vector<std::string> log;
};

// With the built-in devices put in a file's place.
struct BuiltInTest : DeviceTest {
  BuiltInTest() : none("COMCH_DEVICES", nullptr) {}
  void SetUp() override {
    if (std::ifstream(kSystemDeviceFile)) GTEST_SKIP() << kSystemDeviceFile << " is in the way";
  }
  ScopedVariable none;
};

TEST(PciAddress, ShortAndLongFormsAreTheSameAddress) {
  EXPECT_EQ(normal_pci("b1:00.0"), "0000:b1:00.0");
  EXPECT_EQ(normal_pci("0000:B1:00.0"), "0000:b1:00.0");
  EXPECT_EQ(normal_pci("00ff:FF:1f.7"), "00ff:ff:1f.7");
}

TEST(PciAddress, WhatIsNoAddressIsNothing) {
  for (const char* text :
       {"", "comch0", "b1:00", "b1:00.8", "b1:20.0", "b1:00.00", "1:00.0", ":b1:00.0",
        "0000-b1:00.0", "000g:b1:00.0", "b1:00.0 ", "00000:b1:00.0", "0000:0000:b1:00.0"}) {
    EXPECT_EQ(normal_pci(text), std::nullopt) << text;
  }
}

TEST(SideAndKind, HaveTheWordsOfTheFile) {
  EXPECT_EQ(name(Side::kHost), "host");
  EXPECT_EQ(name(Side::kDpu), "dpu");
  EXPECT_EQ(name(FunctionKind::kPf), "pf");
  EXPECT_EQ(name(FunctionKind::kVf), "vf");
  EXPECT_EQ(name(FunctionKind::kSf), "sf");
}

TEST_F(BuiltInTest, IsOneDpuAndTheHostItServes) {
  auto devices = list_devices();
  ASSERT_TRUE(devices);
  std::erase_if(*devices, [](const DeviceInfo& one) { return one.rdma.has_value(); });
  ASSERT_EQ(devices->size(), 2u);
  const DeviceInfo& dpu = (*devices)[0];
  EXPECT_EQ(dpu.name, "comch0");
  EXPECT_EQ(dpu.pci, "0000:03:00.0");
  EXPECT_EQ(dpu.vuid, "COMCH0DPU");
  EXPECT_EQ(dpu.side, Side::kDpu);
  ASSERT_EQ(dpu.representors.size(), 1u);
  EXPECT_EQ(dpu.representors[0].pci, "0000:b1:00.0");
  EXPECT_EQ(dpu.representors[0].vuid, "COMCH0PF0");
  EXPECT_FALSE(dpu.representors[0].allow_everyone);
  const DeviceInfo& host = (*devices)[1];
  EXPECT_EQ(host.name, "comch0-host");
  EXPECT_EQ(host.pci, "0000:b1:00.0");
  EXPECT_EQ(host.side, Side::kHost);
  EXPECT_TRUE(host.representors.empty());
}

TEST_F(BuiltInTest, ServersAreForTheDpuAndClientsForTheHost) {
  const auto dpu = Device::open_first(Side::kDpu);
  const auto host = Device::open_first(Side::kHost);
  ASSERT_TRUE(dpu && host);
  EXPECT_TRUE((*dpu)->info().capability.server);
  EXPECT_FALSE((*dpu)->info().capability.client);
  EXPECT_FALSE((*host)->info().capability.server);
  EXPECT_TRUE((*host)->info().capability.client);
}

TEST_F(BuiltInTest, ADeviceOpensByNameAndByEitherFormOfItsAddress) {
  for (const char* which : {"comch0", "0000:03:00.0", "03:00.0"}) {
    const auto device = Device::open(which);
    ASSERT_TRUE(device) << which;
    EXPECT_EQ((*device)->info().name, "comch0");
  }
  for (const char* which : {"", "comch", "COMCH0", "comch0 ", "04:00.0"}) {
    const auto device = Device::open(which);
    ASSERT_FALSE(device) << which;
    EXPECT_EQ(device.error().code, Errc::not_found);
  }
}

TEST_F(BuiltInTest, ARepresentorOpensByAddressAndByVuid) {
  const auto device = Device::open("comch0").value();
  for (const char* which : {"b1:00.0", "0000:B1:00.0", "COMCH0PF0"}) {
    const auto representor = Representor::open(device, which);
    ASSERT_TRUE(representor) << which;
    EXPECT_EQ((*representor)->info().vuid, "COMCH0PF0");
    EXPECT_EQ((*representor)->device(), device);
  }
  EXPECT_EQ(Representor::open(device, "b1:00.1").error().code, Errc::not_found);
  EXPECT_EQ(Representor::open(device, "").error().code, Errc::not_found);
  EXPECT_EQ(Representor::open_first(device).value()->info().pci, "0000:b1:00.0");
}

TEST_F(BuiltInTest, AHostDeviceHasNoRepresentors) {
  const auto device = Device::open("comch0-host").value();
  EXPECT_EQ(Representor::open(device, "b1:00.0").error().code, Errc::not_supported);
  EXPECT_EQ(Representor::open_first(device).error().code, Errc::not_supported);
  EXPECT_EQ(Representor::open_first(nullptr).error().code, Errc::invalid_value);
}

TEST_F(DeviceTest, AFileSaysEverythingAboutADevice) {
  const auto devices = devices_of(R"(
[[device]]
name = "dpu7"
pci = "0001:03:00.1"
side = "dpu"
kind = "sf"
vuid = "DPU-RACK7"
[device.limits]
max_name_length = 64
max_message_size = 16384
max_recv_queue_size = 1024
max_send_tasks = 512
max_clients = 4096
[[device.representor]]
pci = "b1:00.2"
vuid = "VF0"
kind = "vf"
allow_uids = [1000, 1001]
allow_gids = [27]
allow_everyone = true
)");
  ASSERT_TRUE(devices) << (log.empty() ? "" : log[0]);
  ASSERT_EQ(devices->size(), 1u);
  const DeviceInfo& device = devices->front();
  EXPECT_EQ(device.name, "dpu7");
  EXPECT_EQ(device.pci, "0001:03:00.1");
  EXPECT_EQ(device.vuid, "DPU-RACK7");
  EXPECT_EQ(device.side, Side::kDpu);
  EXPECT_EQ(device.kind, FunctionKind::kSf);
  EXPECT_TRUE(device.capability.server);
  EXPECT_FALSE(device.capability.client);
  EXPECT_EQ(device.capability.max_name_length, 64u);
  EXPECT_EQ(device.capability.max_message_size, 16384u);
  EXPECT_EQ(device.capability.max_recv_queue_size, 1024u);
  EXPECT_EQ(device.capability.max_send_tasks, 512u);
  EXPECT_EQ(device.capability.max_clients, 4096u);
  ASSERT_EQ(device.representors.size(), 1u);
  const RepresentorInfo& representor = device.representors.front();
  EXPECT_EQ(representor.pci, "0000:b1:00.2");
  EXPECT_EQ(representor.vuid, "VF0");
  EXPECT_EQ(representor.kind, FunctionKind::kVf);
  EXPECT_EQ(representor.allow_uids, (std::vector<std::uint32_t>{1000, 1001}));
  EXPECT_EQ(representor.allow_gids, (std::vector<std::uint32_t>{27}));
  EXPECT_TRUE(representor.allow_everyone);
}

TEST_F(DeviceTest, WhatAFileLeavesOutHasADefault) {
  const auto devices = devices_of(kDpu + kFunction + kHost);
  ASSERT_TRUE(devices) << (log.empty() ? "" : log[0]);
  ASSERT_EQ(devices->size(), 2u);
  const DeviceInfo& dpu = devices->front();
  EXPECT_EQ(dpu.kind, FunctionKind::kPf);
  EXPECT_EQ(dpu.vuid, "COMCH-0000:03:00.0");
  EXPECT_EQ(dpu.capability.max_message_size, Capability{}.max_message_size);
  EXPECT_EQ(dpu.representors[0].vuid, "COMCH-0000:b1:00.0");
  EXPECT_TRUE(dpu.representors[0].allow_uids.empty());
  EXPECT_FALSE(dpu.representors[0].allow_everyone);
  EXPECT_TRUE((*devices)[1].capability.client);
}

TEST_F(DeviceTest, ARepresentorNeedsNoHostDeviceInTheSameFile) {
  EXPECT_TRUE(devices_of(kDpu + "[[device.representor]]\npci='0000:c7:00.0'\n"));
}

TEST_F(DeviceTest, ADamagedFileIsRefusedWhereItIsDamaged) {
  expect_refused("[[device]]\nname = \n", 2, "no TOML");
  expect_refused("[[device]]\nname='a'\nname='b'\n", 3, "no TOML");
  expect_refused("", 1, "add a [[device]]");
  expect_refused("device = 1\n", 1, "write [[device]]");
  expect_refused("device = [1]\n", 1, "write [[device]]");
}

TEST_F(DeviceTest, AKeyNobodyKnowsIsRefused) {
  expect_refused("[[devices]]\nname='h'\n", 1, "\"devices\"");
  expect_refused(kHost + "colour='red'\n", 5, "\"colour\"; remove it or use one of name, pci");
  expect_refused(kHost + "[device.limits]\nmax_mesage_size=1\n", 6, "\"max_mesage_size\"");
  expect_refused(kDpu + kFunction + "side='host'\n", 7, "\"side\"");
}

TEST_F(DeviceTest, AMissingOrMistypedValueIsRefused) {
  expect_refused("[[device]]\npci='b1:00.0'\nside='host'\n", 1, "add name =");
  expect_refused("[[device]]\nname='h'\nside='host'\n", 1, "add pci =");
  expect_refused("[[device]]\nname='h'\npci='b1:00.0'\n", 1, "write side = \"host\" or \"dpu\"");
  expect_refused("[[device]]\nname=7\npci='b1:00.0'\nside='host'\n", 2, "put it in quotes");
  expect_refused("[[device]]\nname='h'\npci='b1:00'\nside='host'\n", 3, "write it like");
  expect_refused("[[device]]\nname='h'\npci='b1:00.0'\nside='left'\n", 4, "\"host\" or \"dpu\"");
  expect_refused(kHost + "kind='qf'\n", 5, "\"pf\" or \"vf\" or \"sf\"");
  expect_refused(kHost + "vuid=''\n", 5, "1 to 127 visible");
  expect_refused(kHost + "vuid='" + std::string(128, 'v') + "'\n", 5, "1 to 127 visible");
  expect_refused(kHost + "limits=3\n", 5, "write [device.limits]");
  expect_refused(kDpu + kFunction + "allow_uids=7\n", 7, "allow_uids = [1000, 1001]");
  expect_refused(kDpu + kFunction + "allow_uids=['root']\n", 7, "a number from 0 to 4294967294");
  expect_refused(kDpu + kFunction + "allow_gids=[-1]\n", 7, "a number from 0 to 4294967294");
  expect_refused(kDpu + kFunction + "allow_gids=[4294967295]\n", 7, "a number from 0");
  expect_refused(kDpu + kFunction + "allow_everyone='yes'\n", 7, "true or false");
}

TEST_F(DeviceTest, ANameThatCouldBeTakenForSomethingElseIsRefused) {
  for (const char* bad : {"b1:00.0", "a/b", "..", "a b", ""}) {
    expect_refused(std::string("[[device]]\nname='") + bad + "'\npci='b1:00.0'\nside='host'\n", 2,
                   "name");
  }
  expect_refused("[[device]]\nname='" + std::string(64, 'n') + "'\npci='b1:00.0'\nside='host'\n", 2,
                 "1 to 63");
}

TEST_F(DeviceTest, ALimitMayBeLoweredAndNotRaised) {
  const struct {
    const char* key;
    std::uint32_t min, max;
  } limits[] = {{"max_name_length", 2, 120},
                {"max_message_size", 1, 65535},
                {"max_recv_queue_size", 1, 8192},
                {"max_send_tasks", 1, 8192},
                {"max_clients", 1, 65536}};
  for (const auto& limit : limits) {
    const auto with = [&](std::uint32_t value) {
      return kHost + "[device.limits]\n" + limit.key + "=" + std::to_string(value) + "\n";
    };
    EXPECT_TRUE(devices_of(with(limit.min))) << limit.key;
    EXPECT_TRUE(devices_of(with(limit.max))) << limit.key;
    expect_refused(with(limit.min - 1), 6, "use a number from");
    expect_refused(with(limit.max + 1), 6, "use a number from");
  }
}

TEST_F(DeviceTest, WhatMustBeUniqueIsRefusedTheSecondTime) {
  const std::string other_host = "[[device]]\nname='h2'\npci='b1:00.1'\nside='host'\n";
  EXPECT_TRUE(devices_of(kHost + other_host));
  expect_refused(kHost + "[[device]]\nname='h'\npci='b1:00.1'\nside='host'\n", 5, "name \"h\"");
  expect_refused(kHost + "[[device]]\nname='h2'\npci='0000:B1:00.0'\nside='host'\n", 5,
                 "pci \"0000:b1:00.0\" is there twice");
  expect_refused(kDpu + kFunction + kFunction, 7, "is there twice");
  const std::string other_dpu = "[[device]]\nname='d2'\npci='04:00.0'\nside='dpu'\n";
  expect_refused(kDpu + kFunction + other_dpu + kFunction, 11, "is there twice");
  expect_refused(kDpu + kFunction + "vuid='V'\n[[device.representor]]\npci='b1:00.1'\nvuid='V'\n",
                 8, "vuid \"V\" is there twice");
}

TEST_F(DeviceTest, RepresentorsBelongToTheDpuSide) {
  expect_refused(kHost + kFunction, 5, "put it under a dpu device");
  expect_refused(kDpu, 1, "add a [[device.representor]]");
  expect_refused(kDpu + "representor = 'b1:00.0'\n", 5, "write [[device.representor]]");
}

TEST_F(DeviceTest, TextOfTheFileCannotForgeALogLine) {
  expect_refused("[[device]]\nname=\"a\\nb\"\npci='b1:00.0'\nside='host'\n", 2, "a\\nb");
  EXPECT_EQ(log[0].find('\n'), std::string::npos);
}

TEST_F(DeviceTest, TheChosenFileComesBeforeTheStandardOneAndThatBeforeTheBuiltIn) {
  const test::TempDir dir;
  const std::string chosen = dir / "chosen.toml";
  const std::string standard = dir / "standard.toml";
  const auto first = [&](const char* choice) {
    return load_devices(choice, standard.c_str()).value().front().name;
  };
  EXPECT_EQ(first(nullptr), "comch0");
  EXPECT_EQ(first(""), "comch0");
  std::ofstream(standard) << "[[device]]\nname='standard'\npci='b1:00.0'\nside='host'\n";
  std::ofstream(chosen) << "[[device]]\nname='chosen'\npci='b1:00.0'\nside='host'\n";
  EXPECT_EQ(first(nullptr), "standard");
  EXPECT_EQ(first(chosen.c_str()), "chosen");
}

TEST_F(DeviceTest, AFileThatCannotBeReadIsNotPassedOver) {
  const test::TempDir dir;
  const std::string missing = dir / "missing.toml";
  const std::string directory = dir.path();
  const std::string huge = dir / "huge.toml";
  std::ofstream(huge) << std::string((1u << 20u) + 1, '#');
  for (const std::string& file : {missing, directory, huge}) {
    log.clear();
    EXPECT_EQ(load_devices(file.c_str(), "").error().code, Errc::bad_config) << file;
    ASSERT_EQ(log.size(), 1u);
    EXPECT_NE(log[0].find("COMCH_DEVICES"), std::string::npos) << log[0];
  }
  EXPECT_EQ(load_devices(nullptr, directory.c_str()).error().code, Errc::bad_config);
}

TEST_F(DeviceTest, TheEnvironmentChoosesTheFileOfEveryCall) {
  const test::TempDir dir;
  const std::string file = dir / "devices.toml";
  const ScopedVariable chosen("COMCH_DEVICES", file.c_str());
  EXPECT_EQ(Device::open("h").error().code, Errc::bad_config);
  std::ofstream(file) << kHost;
  const auto devices = list_devices().value();
  EXPECT_EQ(std::ranges::count_if(devices, [](const DeviceInfo& one) { return !one.rdma; }), 1);
  EXPECT_EQ(Device::open("b1:00.0").value()->info().name, "h");
  EXPECT_EQ(Device::open("comch0").error().code, Errc::not_found);
  EXPECT_EQ(Device::open_first(Side::kDpu).error().code, Errc::not_found);
}

}  // namespace
}  // namespace comch
