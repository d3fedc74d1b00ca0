// RdmaAddress: what users may write for a server of another machine.
#include "comch/rdma_address.h"

#include <gtest/gtest.h>

#include <string>

namespace comch {
namespace {

Result<RdmaAddress> parse(std::string_view text) { return parse_rdma_address(text, Capability{}); }

TEST(RdmaAddress, NamesAHostAndAServer) {
  const auto address = parse("rdma://10.0.0.2/echo");
  ASSERT_TRUE(address);
  EXPECT_EQ(address->host, "10.0.0.2");
  EXPECT_EQ(address->server, "echo");
}

TEST(RdmaAddress, AHostIsAnAddressAGidOrAName) {
  EXPECT_EQ(parse("rdma://dpu7.example.org/echo")->host, "dpu7.example.org");
  EXPECT_EQ(parse("rdma://fe80::1%eth0/echo")->host, "fe80::1%eth0");
  EXPECT_EQ(parse("rdma://[fe80::1%eth0]/echo")->host, "fe80::1%eth0");
  EXPECT_EQ(parse("rdma://[::ffff:10.0.0.2]/echo")->host, "::ffff:10.0.0.2");
}

TEST(RdmaAddress, AnythingElseIsAPlainName) {
  EXPECT_TRUE(is_rdma_address("rdma://10.0.0.2/echo"));
  for (const char* text : {"echo", "rdma", "rdma:/10.0.0.2", "RDMA://10.0.0.2/echo", ""}) {
    EXPECT_FALSE(is_rdma_address(text)) << text;
  }
}

TEST(RdmaAddress, WithoutAHostOrAServerIsRefused) {
  for (const char* text :
       {"rdma://", "rdma:///echo", "rdma://10.0.0.2", "rdma://10.0.0.2/", "rdma://[]/echo",
        "rdma://a b/echo", "rdma://h/two/parts", "rdma://h/..", "10.0.0.2/echo"}) {
    const auto address = parse(text);
    ASSERT_FALSE(address) << text;
    EXPECT_EQ(address.error().code, Errc::invalid_value) << text;
  }
}

TEST(RdmaAddress, AHostIsNoLongerThanTheDnsAllowsAndANameThanTheDeviceDoes) {
  EXPECT_TRUE(parse("rdma://" + std::string(kHostMax, 'h') + "/echo"));
  EXPECT_FALSE(parse("rdma://" + std::string(kHostMax + 1, 'h') + "/echo"));
  EXPECT_TRUE(parse("rdma://h/" + std::string(119, 'n')));
  EXPECT_FALSE(parse("rdma://h/" + std::string(120, 'n')));
}

}  // namespace
}  // namespace comch
