// PortIds: no id names two ports of a connection.
#include "transport/port_ids.h"

#include <gtest/gtest.h>

#include <utility>

namespace comch::transport {
namespace {

TEST(PortIdsTest, ConsumersOfTheTwoSidesDifferAndNoneIsReserved) {
  PortIds server(true);
  PortIds client(false);
  std::uint32_t odd = 0;
  std::uint32_t even = 0;
  for (int n = 0; n < 40'000; ++n) {  // Past the reserved one.
    const std::uint32_t last_odd = std::exchange(odd, client.next_consumer());
    const std::uint32_t last_even = std::exchange(even, server.next_consumer());
    ASSERT_TRUE(odd > last_odd && even > last_even) << "each is new";
    ASSERT_TRUE(odd % 2 == 1 && even % 2 == 0);
    ASSERT_NE(odd, 0xffffU);
    ASSERT_TRUE(server.may_be_peers(odd) && !server.may_be_peers(even));
    ASSERT_TRUE(client.may_be_peers(even) && !client.may_be_peers(odd));
  }
}

TEST(PortIdsTest, ProducersAreCountedFromOne) {
  PortIds ids(false);
  EXPECT_EQ(ids.next_producer(), 1U);
  EXPECT_EQ(ids.next_producer(), 2U);
  EXPECT_EQ(ids.next_consumer(), 1U) << "apart from them";
}

}  // namespace
}  // namespace comch::transport
