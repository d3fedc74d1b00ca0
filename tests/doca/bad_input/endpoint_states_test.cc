// Endpoints of doca_comm_channel and their peers: settings in every state.
#include <optional>

#include "doca/bad_input/setters.h"
#include "doca/endpoints.h"

namespace comch::test {
namespace {

struct EndpointStatesTest : LegacyTest {
  ~EndpointStatesTest() override { doca_comm_channel_ep_destroy(endpoint); }

  void make() {
    if (endpoint != nullptr) doca_comm_channel_ep_destroy(endpoint);
    ASSERT_EQ(doca_comm_channel_ep_create(&endpoint), kYes);
  }
  // The other side has to take messages of the same size.
  std::uint16_t message() const {
    std::uint16_t size = 0;
    EXPECT_EQ(doca_comm_channel_ep_get_max_msg_size(endpoint, &size), kYes);
    return size;
  }
  Setter sized(const char* setter, doca_error_t (*set)(doca_comm_channel_ep_t*, std::uint16_t),
               doca_error_t (*get)(doca_comm_channel_ep_t*, std::uint16_t*), unsigned int unit) {
    return {
        setter,
        [=, this](std::uint64_t n) { return set(endpoint, static_cast<std::uint16_t>(n * unit)); },
        [=, this] {
          std::uint16_t size = 0;
          EXPECT_EQ(get(endpoint, &size), kYes);
          return std::uint64_t{size / unit};
        }};
  }
  // Queues are a power of two, of at least 16.
  std::vector<Setter> setters(doca_dev* first, doca_dev* second) {
    return {
        sized("doca_comm_channel_ep_set_max_msg_size", doca_comm_channel_ep_set_max_msg_size,
              doca_comm_channel_ep_get_max_msg_size, 128),
        sized("doca_comm_channel_ep_set_send_queue_size", doca_comm_channel_ep_set_send_queue_size,
              doca_comm_channel_ep_get_send_queue_size, 16),
        sized("doca_comm_channel_ep_set_recv_queue_size", doca_comm_channel_ep_set_recv_queue_size,
              doca_comm_channel_ep_get_recv_queue_size, 16),
        {"doca_comm_channel_ep_set_device",
         [=, this](auto n) {
           return doca_comm_channel_ep_set_device(endpoint, n == 1 ? first : second);
         },
         [=, this] {
           doca_dev* has = nullptr;
           EXPECT_EQ(doca_comm_channel_ep_get_device(endpoint, &has), kYes);
           return std::uint64_t{has == first ? 1U : 2U};
         }}};
  }

  doca_comm_channel_ep_t* endpoint = nullptr;
  std::optional<Endpoint> other;
};

TEST_F(EndpointStatesTest, AServiceIsConfiguredUntilItListens) {
  const OpenDevice second(kDpuPci);
  const OpenRepresentor second_function(second, kHostPci);
  std::vector<Setter> all = setters(dpu, second);
  all.push_back({"doca_comm_channel_ep_set_device_rep",
                 [&](auto n) {
                   return doca_comm_channel_ep_set_device_rep(endpoint,
                                                              n == 1 ? function : second_function);
                 },
                 [&] {
                   doca_dev_rep* has = nullptr;
                   EXPECT_EQ(doca_comm_channel_ep_get_device_rep(endpoint, &has), kYes);
                   return std::uint64_t{has == function ? 1U : 2U};
                 }});
  const auto listen = [&] { ASSERT_EQ(doca_comm_channel_ep_listen(endpoint, "echo"), kYes); };
  const auto accept = [&] {
    other.emplace(host);
    ASSERT_EQ(doca_comm_channel_ep_set_max_msg_size(*other, message()), kYes);
    ASSERT_EQ(other->connect("echo"), kYes);
    char room[128];
    std::size_t length = sizeof room;
    doca_comm_channel_addr_t* from = nullptr;
    ASSERT_EQ(doca_comm_channel_ep_recvfrom(endpoint, room, &length, DOCA_CC_MSG_FLAG_NONE, &from),
              DOCA_ERROR_AGAIN);
    ASSERT_EQ(update_of(other->peer), kYes) << "it was accepted";
  };
  // A service listens until its end.
  try_setters(all, {open("made", [&] { make(); }), shut("listening", listen),
                    shut("with a client", accept), open("made anew", [&] { make(); })});
}

TEST_F(EndpointStatesTest, AClientIsConfiguredUntilItConnectsAndAfterwards) {
  const OpenDevice second(kHostPci);
  doca_comm_channel_addr_t* peer = nullptr;
  const auto connect = [&] {
    other.reset();
    other.emplace(dpu, function);
    ASSERT_EQ(doca_comm_channel_ep_set_max_msg_size(*other, message()), kYes);
    ASSERT_EQ(doca_comm_channel_ep_listen(*other, "echo"), kYes);
    ASSERT_EQ(doca_comm_channel_ep_connect(endpoint, "echo", &peer), kYes);
  };
  const auto be_accepted = [&] {
    ASSERT_EQ(other->take(), DOCA_ERROR_AGAIN);
    ASSERT_EQ(update_of(peer), kYes);
  };
  const auto word = [&] {
    std::uint64_t word_of_peer = 0;
    EXPECT_EQ(doca_comm_channel_peer_addr_get_user_data(peer, &word_of_peer), kYes);
    return word_of_peer;
  };
  const Setter word_setter{
      "doca_comm_channel_peer_addr_set_user_data",
      [&](auto n) { return doca_comm_channel_peer_addr_set_user_data(peer, n); }, word, kYes};
  const auto disconnect = [&] { ASSERT_EQ(doca_comm_channel_ep_disconnect(endpoint, peer), kYes); };
  const auto setters_of_client = setters(host, second);
  try_setters(setters_of_client,
              {open("made", [&] { make(); }), shut("connecting", connect),
               shut("connected", be_accepted), open("disconnected", disconnect)});
  connect();
  be_accepted();
  const auto lose = [&] { other.reset(); };
  try_setters({word_setter}, {open("connected", [] {}), open("the service is gone", lose)});
  disconnect();
}

}  // namespace
}  // namespace comch::test
