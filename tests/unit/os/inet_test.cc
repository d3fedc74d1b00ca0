// Inet: text to bytes and back.
#include "os/inet.h"

#include <gtest/gtest.h>

namespace comch::os {
namespace {

TEST(InetTest, AnIpv4AddressIsReadAndWritten) {
  const auto bytes = ipv4_of("10.77.0.2");
  ASSERT_TRUE(bytes);
  EXPECT_EQ(*bytes, (std::array<std::uint8_t, 4>{10, 77, 0, 2}));
  EXPECT_EQ(text_of(*bytes), "10.77.0.2");
}

TEST(InetTest, AnIpv6AddressIsReadAndWrittenInItsShortForm) {
  const auto address = ipv6_of("fe80:0:0:0:0:0:0:1");
  ASSERT_TRUE(address);
  EXPECT_EQ(address->bytes[0], 0xfe);
  EXPECT_EQ(address->bytes[15], 1);
  EXPECT_EQ(address->scope, 0U);
  EXPECT_EQ(text_of(*address), "fe80::1");
}

TEST(InetTest, TheInterfaceOfALinkLocalAddressIsANameOrANumber) {
  ASSERT_TRUE(ipv6_of("fe80::1%lo"));
  EXPECT_NE(ipv6_of("fe80::1%lo")->scope, 0U);
  ASSERT_TRUE(ipv6_of("fe80::1%7"));
  EXPECT_EQ(text_of(*ipv6_of("fe80::1%7")), "fe80::1%7");
}

TEST(InetTest, WhatIsNoAddressIsNothing) {
  for (const char* text : {"", "10.0.0", "10.0.0.256", "10.0.0.1 ", "host", "::1"}) {
    EXPECT_FALSE(ipv4_of(text)) << text;
  }
  for (const char* text : {"", "10.0.0.1", "fe80:::1", "::1%", "::1%0", "::1%no-such-interface"}) {
    EXPECT_FALSE(ipv6_of(text)) << text;
  }
}

}  // namespace
}  // namespace comch::os
