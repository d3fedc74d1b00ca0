// Addresses: a server and a client on two devices, as users name them: by IPv4, IPv6 or a GID; in
// the description of devices, to `comch`, and in a tree. Who is not let in, and the key that both
// must hold. In the guest by every kind of address, elsewhere by those that the devices have.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "support/described_devices.h"
#include "support/mount.h"
#include "system/tool/tool_test.h"

namespace comch::test {
namespace {

using testing::HasSubstr;

struct Place {
  std::string name;
  std::string server;   // Where servers listen.
  std::string client;   // Where clients speak from.
  std::string allowed;  // What the server calls the client.
};
std::ostream& operator<<(std::ostream& out, const Place& place) { return out << place.name; }

std::string given(const char* variable, const char* in_guest) {
  const char* const value = std::getenv(variable);
  return value != nullptr ? value : in_guest;
}

bool in_guest() { return std::getenv("RDMA_VM") != nullptr; }

// Where the suite runs; in the guest an IPv4 address.
const Place kHere{"here", given("COMCH_RDMA_SERVER", "10.77.0.1"),
                  given("COMCH_RDMA_CLIENT", "10.77.0.2"), given("COMCH_RDMA_CLIENT", "10.77.0.2")};
const Place kIpv6{"ipv6", "fd77::1", "fd77::2", "fd77::2"};

struct Keys {
  std::string server;
  std::string client;
};

std::string key_line(const std::string& file) {
  return file.empty() ? "" : "key_file = '" + file + "'\n";
}

// Both sides of the built-in fabric, each on a device of the guest.
std::string description(const Place& place, const Keys& keys = {}) {
  return "[[device]]\nname = 'comch0'\npci = '0000:03:00.0'\nside = 'dpu'\n"
         "[device.rdma]\naddress = '" +
         place.server + "'\n" + key_line(keys.server) +
         "[[device.representor]]\npci = '0000:b1:00.0'\nallow_hosts = ['" + place.allowed +
         "']\n"
         "[[device]]\nname = 'comch0-host'\npci = '0000:b1:00.0'\nside = 'host'\n"
         "[device.rdma]\naddress = '" +
         place.client + "'\n" + key_line(keys.client);
}

// A server of another machine, as a client writes it.
std::string at(const Place& place, const std::string& server) {
  return "rdma://[" + place.server + "]/" + server;
}

struct DeviceTest : ToolTest {
  void SetUp() override {
    if (!in_guest() && std::getenv("COMCH_RDMA_SERVER") == nullptr) {
      GTEST_SKIP() << "there is no RDMA device outside of the guest";
    }
  }
};

struct PlaceTest : DeviceTest, testing::WithParamInterface<Place> {
  void SetUp() override {
    DeviceTest::SetUp();
    if (!in_guest() && GetParam().name != kHere.name) {
      GTEST_SKIP() << "its addresses are those of the guest";
    }
  }
};

struct AddressTest : PlaceTest {
  AddressTest() : devices(description(GetParam())) {}
  DescribedDevices devices;
};

TEST_P(AddressTest, MessagesGoBothWays) {
  Program server = listen("echo --echo --count 1");
  EXPECT_EQ(sh("comch connect " + at(GetParam(), "echo") + " --count 1 <<< hello"),
            (Said{.code = 0, .out = "hello\n"}));
  EXPECT_EQ(server.end().out, "hello\n");
}

TEST_P(AddressTest, ATreesClientReachesIt) {
  const Program server = listen("box");
  const Mount tree;
  ASSERT_TRUE(tree.ready()) << tree.log();
  const std::string client = tree / "clients/me";
  EXPECT_EQ(sh("mkdir " + client + "; echo \"" + at(GetParam(), "box") + "\" > " + client +
               "/server; echo -n hello > " + client + "/conn/send"),
            Said{});
  EXPECT_TRUE(server.has_said("hello\n"));
  EXPECT_EQ(sh("cat " + client + "/conn/stats/tx_msgs"), (Said{.out = "1\n"}));
}

INSTANTIATE_TEST_SUITE_P(
    By, AddressTest,
    testing::Values(kHere, kIpv6, Place{"gid_of_ipv6", "gid:fd77::1", "gid:fd77::2", "gid:fd77::2"},
                    Place{"gid_as_representor", "10.77.0.1", "10.77.0.2", "gid:::ffff:10.77.0.2"}),
    [](const auto& place) { return place.param.name; });

// An address that documents use, and no machine has.
constexpr const char* kNobody = "192.0.2.1";

using StrangerTest = PlaceTest;

TEST_P(StrangerTest, IsRefusedAndToldWhy) {
  const DescribedDevices devices(description(GetParam()));
  const Program server = listen("box");
  const Said said = sh("comch send " + at(GetParam(), "box") + " hello");
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.err, HasSubstr("this machine may not connect to the server"));
}

INSTANTIATE_TEST_SUITE_P(By, StrangerTest,
                         testing::Values(Place{kHere.name, kHere.server, kHere.client, kNobody},
                                         Place{"ipv6", "fd77::1", "fd77::2", "fd77::3"},
                                         Place{"gid", "fd77::1", "fd77::2", "gid:fd77::1"}),
                         [](const auto& place) { return place.param.name; });

// A tree on both sides: its server's consumer has what its client's producer sends.
using TreeTest = DeviceTest;

TEST_F(TreeTest, ItsConsumersAndProducersMeetByAnAddress) {
  const DescribedDevices devices(description(kHere));
  const Mount tree;
  ASSERT_TRUE(tree.ready()) << tree.log();
  const auto run = [&](const std::string& line) {
    Program program("bash -c 'cd " + tree.path().string() + " && " + line + "'");
    return program.end();
  };
  EXPECT_EQ(
      run("mkdir servers/box clients/me && echo " + at(kHere, "box") + " > clients/me/server"),
      Said{});
  EXPECT_EQ(run("cd servers/box/conn0/consumers && mkdir c0 && echo 1 > c0/enable"), Said{});
  EXPECT_EQ(run("cd clients/me/conn/producers && mkdir p0 && "
                "cat ../../../../servers/box/conn0/consumers/c0/id > p0/target && "
                "head -c 100000 /dev/zero > p0/put"),
            Said{});
  EXPECT_EQ(run("wc -c < servers/box/conn0/consumers/c0/get"), (Said{.out = "100000\n"}));
  EXPECT_EQ(run("cat clients/me/conn/producers/p0/stats/tx_bytes"), (Said{.out = "100000\n"}));
  // Built in memory of this side, and sent from there.
  EXPECT_EQ(run("cd clients/me/conn/producers/p0/stats && cat loaned_msgs staged_msgs mapped_msgs"),
            (Said{.out = "1\n1\n0\n"}));
}

struct KeyTest : DeviceTest {
  std::string key(const std::string& name, const std::string& secret) {
    const std::string path = dir / name;
    std::ofstream(path) << secret;
    std::filesystem::permissions(path, std::filesystem::perms::owner_read);
    return path;
  }
  TempDir dir;
};

TEST_F(KeyTest, WhoHoldsItIsLetIn) {
  const std::string file = key("key", "a secret of more than sixteen bytes");
  const DescribedDevices devices(description(kHere, {file, file}));
  Program server = listen("box --count 1");
  EXPECT_EQ(sh("comch send " + at(kHere, "box") + " hello"), Said{});
  EXPECT_EQ(server.end().out, "hello\n");
}

TEST_F(KeyTest, WhoHoldsAnotherOrNoneIsNot) {
  const std::string ours = key("ours", "a secret of more than sixteen bytes");
  const DescribedDevices devices(description(kHere, {ours, {}}));
  const Program server = listen("box");
  const std::string line = "comch send " + at(kHere, "box") + " hello";
  EXPECT_THAT(sh(line).err, HasSubstr("asks for a pre-shared key"));
  devices.describe(description(kHere, {ours, key("theirs", "another one, as long as that is")}));
  const Said said = sh(line);
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.err, HasSubstr("key is not this device"));
}

}  // namespace
}  // namespace comch::test
