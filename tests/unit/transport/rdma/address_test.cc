// Address: what people write, and what the log says.
#include "transport/rdma/address.h"

#include <gtest/gtest.h>

namespace comch::transport::rdma {
namespace {

using Family = Address::Family;

TEST(RdmaAddressTest, TextSaysWhichFamilyItIs) {
  ASSERT_TRUE(Address::parse("10.77.0.2"));
  EXPECT_EQ(Address::parse("10.77.0.2")->family, Family::kIpv4);
  ASSERT_TRUE(Address::parse("fd00::2"));
  EXPECT_EQ(Address::parse("fd00::2")->family, Family::kIpv6);
  ASSERT_TRUE(Address::parse("gid:fe80::2"));
  EXPECT_EQ(Address::parse("gid:fe80::2")->family, Family::kGid);
}

TEST(RdmaAddressTest, ItIsWrittenAsItWasRead) {
  for (const char* text : {"10.77.0.2", "fd00::2", "fe80::1%3", "gid:fe80::2", "0.0.0.0", "::"}) {
    ASSERT_TRUE(Address::parse(text)) << text;
    EXPECT_EQ(Address::parse(text)->host(), text);
  }
}

TEST(RdmaAddressTest, TheLogHasItsPortToo) {
  Address address = *Address::parse("10.77.0.2");
  address.port = 4791;
  EXPECT_EQ(address.text(), "10.77.0.2:4791");
  address = *Address::parse("fd00::2");
  address.port = 4791;
  EXPECT_EQ(address.text(), "[fd00::2]:4791");
}

TEST(RdmaAddressTest, ANameIsNoAddress) {
  for (const char* text : {"", "host", "gid:", "gid:10.0.0.1", "gid:fe80::1%3", "10.0.0.2:1"}) {
    EXPECT_FALSE(Address::parse(text)) << text;
  }
}

TEST(RdmaAddressTest, TheSameMachineIsToldApartFromTheSameAddress) {
  Address one = *Address::parse("10.77.0.2");
  Address other = one;
  other.port = 7;
  EXPECT_TRUE(one.same_host(other));
  EXPECT_NE(one, other);
  EXPECT_FALSE(one.is_any());
  EXPECT_TRUE(Address{}.is_any());
}

TEST(RdmaAddressTest, ALinkLocalAddressIsOfOneInterfaceAlone) {
  EXPECT_TRUE(Address::parse("fe80::1")->is_link_local());
  EXPECT_TRUE(Address::parse("febf::1")->is_link_local());
  EXPECT_FALSE(Address::parse("fec0::1")->is_link_local());
  EXPECT_FALSE(Address::parse("gid:fe80::1")->is_link_local());
  EXPECT_FALSE(Address::parse("10.77.0.2")->is_link_local());
}

}  // namespace
}  // namespace comch::transport::rdma
