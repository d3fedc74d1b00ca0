// Peer addresses: a word of the program's own, and the counts of a connection.
#include <doca_comm_channel.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "doca/endpoints.h"

namespace comch::test {
namespace {

using PeerTest = LegacyTest;
using Counter = doca_error_t (*)(const doca_comm_channel_addr_t*, std::uint64_t*);

std::uint64_t count(Counter counter, const doca_comm_channel_addr_t* peer) {
  std::uint64_t value = ~std::uint64_t{0};
  EXPECT_EQ(counter(peer, &value), DOCA_SUCCESS);
  return value;
}

constexpr Counter kCounters[] = {
    doca_comm_channel_peer_addr_get_send_messages, doca_comm_channel_peer_addr_get_send_bytes,
    doca_comm_channel_peer_addr_get_recv_messages, doca_comm_channel_peer_addr_get_recv_bytes,
    doca_comm_channel_peer_addr_get_send_in_flight_messages};

TEST_F(PeerTest, KeepsAWordOfTheProgramsOwn) {
  Endpoint service = listening();
  Endpoint client = connected(service);
  std::uint64_t word = 1;
  EXPECT_EQ(doca_comm_channel_peer_addr_get_user_data(client.peer, &word), DOCA_SUCCESS);
  EXPECT_EQ(word, 0U);
  EXPECT_EQ(doca_comm_channel_peer_addr_set_user_data(client.peer, ~0ULL), DOCA_SUCCESS);
  EXPECT_EQ(doca_comm_channel_peer_addr_get_user_data(client.peer, &word), DOCA_SUCCESS);
  EXPECT_EQ(word, ~0ULL);
  EXPECT_EQ(doca_comm_channel_peer_addr_get_user_data(nullptr, &word), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comm_channel_peer_addr_get_user_data(client.peer, nullptr),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comm_channel_peer_addr_set_user_data(nullptr, 1), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(PeerTest, CountsAreThoseOfTheLastUpdate) {
  Endpoint service = listening();
  Endpoint client = connected(service);
  ASSERT_EQ(client.send("four"), DOCA_SUCCESS);
  ASSERT_EQ(service.next(), "four");
  ASSERT_EQ(service.send("fourteen bytes", service.from), DOCA_SUCCESS);
  ASSERT_EQ(client.next(), "fourteen bytes");
  EXPECT_EQ(count(kCounters[0], client.peer), 0U) << "connected() updated last";
  ASSERT_EQ(update_of(client.peer), DOCA_SUCCESS);
  EXPECT_EQ(count(kCounters[0], client.peer), 1U);
  EXPECT_EQ(count(kCounters[1], client.peer), 4U);
  EXPECT_EQ(count(kCounters[2], client.peer), 1U);
  EXPECT_EQ(count(kCounters[3], client.peer), 14U);
  EXPECT_EQ(count(kCounters[4], client.peer), 0U);
  ASSERT_EQ(update_of(service.from), DOCA_SUCCESS);
  EXPECT_EQ(count(kCounters[1], service.from), 14U);
  EXPECT_EQ(count(kCounters[3], service.from), 4U);
}

TEST_F(PeerTest, TheLastCountsAreKeptWhenTheConnectionIsOver) {
  Endpoint service = listening();
  Endpoint client = connected(service);
  introduce(client, service);
  client.destroy();
  EXPECT_TRUE(eventually([&] { return update_of(service.from) == DOCA_ERROR_CONNECTION_ABORTED; }));
  EXPECT_EQ(count(kCounters[2], service.from), 1U);
  EXPECT_EQ(count(kCounters[3], service.from), 5U);
}

TEST_F(PeerTest, RefusesNull) {
  Endpoint service = listening();
  Endpoint client = connected(service);
  std::uint64_t value = 0;
  EXPECT_EQ(update_of(nullptr), DOCA_ERROR_INVALID_VALUE);
  for (const Counter counter : kCounters) {
    EXPECT_EQ(counter(nullptr, &value), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(counter(client.peer, nullptr), DOCA_ERROR_INVALID_VALUE);
  }
}

}  // namespace
}  // namespace comch::test
