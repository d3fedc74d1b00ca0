// Servers of one name on two functions of a host, which a device file describes.
#include "support/described_devices.h"
#include "tree_fixture.h"

namespace comch::test {
namespace {

// Two functions of the host, each with a server of the same name.
struct TwoRepresentorsTest : TreeTest {
  DescribedDevices devices_{kTwoFunctions};
};

TEST_F(TwoRepresentorsTest, OneNameMayLiveOnTwoRepresentorsInTwoDirectories) {
  ASSERT_EQ(make_server("echo"), 0);
  ASSERT_EQ(make_server("echo-1"), 0);
  ASSERT_EQ(write_to(at("servers/echo-1/enable"), "0"), 0);
  ASSERT_EQ(write_to(at("servers/echo-1/rep"), "b1:00.1"), 0);
  ASSERT_EQ(write_to(at("servers/echo-1/name"), "echo"), 0);
  ASSERT_EQ(write_to(at("servers/echo-1/enable"), "1"), 0);
  ASSERT_EQ(make_directory(at("clients/me")), 0);
  ASSERT_EQ(write_to(at("clients/me/device"), "host1"), 0);
  ASSERT_EQ(write_to(at("clients/me/server"), "echo"), 0);
  EXPECT_TRUE(connections(at("servers/echo")).empty());
  EXPECT_EQ(connections(at("servers/echo-1")).size(), 1U);
}

}  // namespace
}  // namespace comch::test
