// RealAddress: what goes to librdmacm and comes back is the same place.
#include "transport/rdma/real_address.h"

#include <gtest/gtest.h>
#include <infiniband/ib.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace comch::transport::rdma {
namespace {

Address parsed(std::string_view text, std::uint16_t port = 0) {
  Address address = *Address::parse(text);
  address.port = port;
  return address;
}

Address gid(std::string_view ipv6, std::uint32_t interface) {
  ibv_gid raw{};
  std::ranges::copy(parsed(ipv6).bytes, raw.raw);
  return from_gid(raw, interface);
}

TEST(RdmaRealAddressTest, EveryKindComesBackAsItWent) {
  for (const std::string_view text :
       {"10.0.0.2", "fe80::1", "2001:db8::2", "gid:fe80::2:c903:0:1", "gid:::ffff:10.0.0.2"}) {
    Address address = parsed(text, 4791);
    if (text == "fe80::1") address.scope = 3;
    EXPECT_EQ(from_socket(*to_socket(address).get()), address) << text;
  }
}

// The service of a port, as rdma_cm has it for TCP's port space, on the partition of all.
TEST(RdmaRealAddressTest, AnInfinibandAddressNamesItsPortAsAService) {
  SocketAddress socket = to_socket(parsed("gid:fe80::1", 0x4321));
  sockaddr_ib ib{};
  std::memcpy(&ib, socket.get(), sizeof ib);
  EXPECT_EQ(ib.sib_family, AF_IB);
  EXPECT_EQ(be16toh(ib.sib_pkey), 0xffff);
  EXPECT_EQ(be64toh(ib.sib_sid), 0x0000'0000'0106'4321U);
  EXPECT_EQ(be64toh(ib.sib_sid_mask), ~std::uint64_t{0});
}

TEST(RdmaRealAddressTest, WhatIsBoundToNothingIsAnyAddress) {
  const sockaddr none{};
  EXPECT_TRUE(from_socket(none).is_any());
}

TEST(RdmaRealAddressTest, AGidOfEthernetIsTheAddressThatItStandsFor) {
  EXPECT_EQ(gid("::ffff:10.0.0.2", 3), parsed("10.0.0.2"));
  EXPECT_EQ(gid("2001:db8::2", 3), parsed("2001:db8::2"));
  EXPECT_EQ(gid("fe80::1", 3).scope, 3U) << "link-local: of one interface";
  EXPECT_EQ(as_internet(parsed("gid:::ffff:10.0.0.2", 7)), parsed("10.0.0.2", 7));
  EXPECT_EQ(as_internet(parsed("10.0.0.2", 7)), parsed("10.0.0.2", 7));
}

}  // namespace
}  // namespace comch::transport::rdma
