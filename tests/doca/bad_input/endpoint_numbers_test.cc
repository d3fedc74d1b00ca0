// Endpoints of doca_comm_channel, their messages and peers: every number at its limits.
#include "doca/bad_input/rows.h"
#include "doca/endpoints.h"

namespace comch::test {
namespace {

struct EndpointNumbersTest : LegacyTest {
  // A size that is made a power of two, but never less than was asked for.
  static void try_size(const char* setter, const char* argument, doca_comm_channel_ep_t* endpoint,
                       std::uint32_t most,
                       doca_error_t (*set)(doca_comm_channel_ep_t*, std::uint16_t),
                       doca_error_t (*get)(doca_comm_channel_ep_t*, std::uint16_t*)) {
    const auto size = [=] {
      std::uint16_t has = 0;
      EXPECT_EQ(get(endpoint, &has), kYes);
      return std::uint64_t{has};
    };
    try_number(
        setter, argument, {.zero = kNo, .most = most},
        [=](auto n) { return set(endpoint, static_cast<std::uint16_t>(n)); }, size);
  }
  std::uint32_t limit(doca_error_t (*get)(doca_devinfo*, std::uint32_t*)) const {
    std::uint32_t most = 0;
    EXPECT_EQ(get(host.info(), &most), kYes);
    return most;
  }
};

TEST_F(EndpointNumbersTest, Sizes) {
  Endpoint client = idle_client();
  try_size("doca_comm_channel_ep_set_max_msg_size", "max_msg_size", client,
           limit(doca_comm_channel_get_max_message_size), doca_comm_channel_ep_set_max_msg_size,
           doca_comm_channel_ep_get_max_msg_size);
  try_size("doca_comm_channel_ep_set_send_queue_size", "send_queue_size", client,
           limit(doca_comm_channel_get_max_send_queue_size),
           doca_comm_channel_ep_set_send_queue_size, doca_comm_channel_ep_get_send_queue_size);
  try_size("doca_comm_channel_ep_set_recv_queue_size", "recv_queue_size", client,
           limit(doca_comm_channel_get_max_recv_queue_size),
           doca_comm_channel_ep_set_recv_queue_size, doca_comm_channel_ep_get_recv_queue_size);
}

TEST_F(EndpointNumbersTest, MessagesAndFlags) {
  Endpoint service = listening();
  Endpoint client = connected(service);
  std::uint16_t most = 0;
  ASSERT_EQ(doca_comm_channel_ep_get_max_msg_size(client, &most), kYes);
  const std::string bytes(most, 'x');
  const auto send = [&](std::uint64_t length, int flags) {
    return doca_comm_channel_ep_sendto(client, bytes.data(), length, flags, client.peer);
  };
  try_number("doca_comm_channel_ep_sendto", "len", {.most = most},
             [&](auto n) { return send(n, DOCA_CC_MSG_FLAG_NONE); });
  EXPECT_EQ(service.next(), bytes);
  EXPECT_EQ(service.next(), "");
  EXPECT_EQ(service.next(), bytes);
  EXPECT_EQ(service.take(), DOCA_ERROR_AGAIN) << "what was refused was not sent";
  try_number("doca_comm_channel_ep_sendto", "flags", {.most = DOCA_CC_MSG_FLAG_NONE},
             [&](auto n) { return send(1, static_cast<int>(n)); });
  try_number("doca_comm_channel_ep_recvfrom", "flags", {.most = DOCA_CC_MSG_FLAG_NONE},
             [&](auto n) {
               char room = 0;
               std::size_t length = 1;
               return doca_comm_channel_ep_recvfrom(service, &room, &length, static_cast<int>(n),
                                                    &service.from);
             });
  EXPECT_EQ(service.take(), DOCA_ERROR_AGAIN) << "three were sent, and three received";
}

TEST_F(EndpointNumbersTest, WordsOfPeers) {
  Endpoint service = listening();
  Endpoint client = connecting();
  try_number(
      "doca_comm_channel_peer_addr_set_user_data", "user_context", {},
      [&](auto n) { return doca_comm_channel_peer_addr_set_user_data(client.peer, n); },
      [&] {
        std::uint64_t word = 0;
        EXPECT_EQ(doca_comm_channel_peer_addr_get_user_data(client.peer, &word), kYes);
        return word;
      });
}

}  // namespace
}  // namespace comch::test
