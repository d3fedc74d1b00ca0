// Server port: where a name is looked for.
#include "transport/rdma/server_port.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace comch::transport::rdma {
namespace {

TEST(RdmaServerPortTest, TheHashIsTheOneOfTheFormat) {
  EXPECT_EQ(name_hash(""), 0xcbf29ce484222325U);
  EXPECT_EQ(name_hash("a"), 0xaf63dc4c8601ec8cU);
  EXPECT_EQ(name_hash("echo"), 0x3000e56026044164U);
  EXPECT_EQ(server_port(name_hash("echo"), 0), 25604);
}

TEST(RdmaServerPortTest, EveryPortOfANameIsBelowThoseOfTheKernel) {
  for (int n = 0; n < 1000; ++n) {
    std::set<std::uint16_t> ports;
    for (std::uint32_t nth = 0; nth < kPorts; ++nth) {
      const std::uint16_t port = server_port(name_hash("server" + std::to_string(n)), nth);
      EXPECT_GE(port, kFirstPort);
      EXPECT_LT(port, kFirstPort + kPortRange);
      ports.insert(port);
    }
    EXPECT_EQ(ports.size(), kPorts);
  }
}

TEST(RdmaServerPortTest, NamesSpreadOverThePorts) {
  std::set<std::uint16_t> ports;
  for (int n = 0; n < 1000; ++n) ports.insert(server_port(name_hash(std::to_string(n)), 0));
  EXPECT_GE(ports.size(), 930U) << "970 is what chance gives";
}

}  // namespace
}  // namespace comch::transport::rdma
