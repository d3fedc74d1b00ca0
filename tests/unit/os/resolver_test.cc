// Resolver: a host that is here, and one that is nowhere.
#include "os/resolver.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace comch::os {
namespace {

TEST(ResolverTest, ThisMachineHasItsLoopbackAddress) {
  const auto addresses = look_up("localhost");
  ASSERT_TRUE(addresses) << describe(addresses.error());
  const HostAddress ipv4 = std::array<std::uint8_t, 4>{127, 0, 0, 1};
  const bool found = std::ranges::any_of(*addresses, [&](const HostAddress& address) {
    if (const auto* ipv6 = std::get_if<Ipv6>(&address)) return ipv6->bytes[15] == 1;
    return std::get<0>(address) == std::get<0>(ipv4);
  });
  EXPECT_TRUE(found);
}

TEST(ResolverTest, AnAddressInNumbersIsItself) {
  const auto addresses = look_up("10.77.0.2");
  ASSERT_TRUE(addresses);
  ASSERT_EQ(addresses->size(), 1u);
  EXPECT_EQ(std::get<0>(addresses->front()), (std::array<std::uint8_t, 4>{10, 77, 0, 2}));
}

TEST(ResolverTest, AHostThatIsNowhereIsNotFound) {
  EXPECT_EQ(look_up("no.such.host.invalid").error().code, Errc::not_found);
  EXPECT_EQ(look_up("").error().code, Errc::not_found);
}

}  // namespace
}  // namespace comch::os
