// Endpoint: what doca_comch.h has twice, for servers and for clients, asked of both.
#include "doca/comch_endpoint.h"

#include <gtest/gtest.h>

#include <climits>
#include <string>

#include "doca/control_parties.h"

namespace comch::test {
namespace {

// The functions of one of the two, under names that both share.
struct ServerApi {
  using Context = doca_comch_server;
  static Context* of(const ServerParty& server, const ClientParty&) { return server.server; }
  static constexpr auto destroy = doca_comch_server_destroy;
  static constexpr auto as_ctx = doca_comch_server_as_ctx;
  static constexpr auto set_max_msg_size = doca_comch_server_set_max_msg_size;
  static constexpr auto get_max_msg_size = doca_comch_server_get_max_msg_size;
  static constexpr auto set_recv_queue_size = doca_comch_server_set_recv_queue_size;
  static constexpr auto get_recv_queue_size = doca_comch_server_get_recv_queue_size;
  static constexpr auto get_device = doca_comch_server_get_device;
  static constexpr auto set_conf = doca_comch_server_task_send_set_conf;
  static constexpr auto on_message = doca_comch_server_event_msg_recv_register;
  static constexpr auto on_consumer = doca_comch_server_event_consumer_register;
  static doca_error_t create(doca_dev* dpu, doca_dev_rep* rep, doca_dev*, const std::string& name,
                             Context** out) {
    return doca_comch_server_create(dpu, rep, name.c_str(), out);
  }
};

struct ClientApi {
  using Context = doca_comch_client;
  static Context* of(const ServerParty&, const ClientParty& client) { return client.client; }
  static constexpr auto destroy = doca_comch_client_destroy;
  static constexpr auto as_ctx = doca_comch_client_as_ctx;
  static constexpr auto set_max_msg_size = doca_comch_client_set_max_msg_size;
  static constexpr auto get_max_msg_size = doca_comch_client_get_max_msg_size;
  static constexpr auto set_recv_queue_size = doca_comch_client_set_recv_queue_size;
  static constexpr auto get_recv_queue_size = doca_comch_client_get_recv_queue_size;
  static constexpr auto get_device = doca_comch_client_get_device;
  static constexpr auto set_conf = doca_comch_client_task_send_set_conf;
  static constexpr auto on_message = doca_comch_client_event_msg_recv_register;
  static constexpr auto on_consumer = doca_comch_client_event_consumer_register;
  static doca_error_t create(doca_dev*, doca_dev_rep*, doca_dev* host, const std::string& name,
                             Context** out) {
    return doca_comch_client_create(host, name.c_str(), out);
  }
};

void done(doca_comch_task_send*, doca_data, doca_data) {}
void received(doca_comch_event_msg_recv*, uint8_t*, uint32_t, doca_comch_connection*) {}
void told(doca_comch_event_consumer*, doca_comch_connection*, uint32_t) {}

template <class Api>
struct ComchEndpointTest : ControlTest {
  ServerParty server{pe};
  ClientParty client{pe};
  typename Api::Context* const context = Api::of(server, client);

  void run() {
    ASSERT_EQ(server.start(), DOCA_SUCCESS);
    ASSERT_TRUE(client.connect());
  }
  uint32_t capability(doca_error_t (*ask)(const doca_devinfo*, uint32_t*)) const {
    uint32_t value = 0;
    EXPECT_EQ(ask(server.device.info(), &value), DOCA_SUCCESS);
    return value;
  }
};
using Apis = testing::Types<ServerApi, ClientApi>;
struct ApiNames {
  template <class Api>
  static std::string GetName(int) {
    return std::is_same_v<Api, ServerApi> ? "Server" : "Client";
  }
};
TYPED_TEST_SUITE(ComchEndpointTest, Apis, ApiNames);

TYPED_TEST(ComchEndpointTest, NullIsRefused) {
  using Api = TypeParam;
  auto* const face = this->context;
  uint32_t size = 0;
  doca_dev* dev = nullptr;
  EXPECT_EQ(Api::destroy(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(Api::as_ctx(nullptr), nullptr);
  EXPECT_EQ(Api::set_max_msg_size(nullptr, 64), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(Api::get_max_msg_size(nullptr, &size), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(Api::get_max_msg_size(face, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(Api::set_recv_queue_size(nullptr, 64), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(Api::get_recv_queue_size(nullptr, &size), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(Api::get_recv_queue_size(face, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(Api::get_device(nullptr, &dev), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(Api::get_device(face, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(Api::set_conf(nullptr, done, done, 1), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(Api::set_conf(face, nullptr, done, 1), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(Api::set_conf(face, done, nullptr, 1), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(Api::on_message(nullptr, received), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(Api::on_message(face, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(Api::on_consumer(nullptr, told, told), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(Api::on_consumer(face, nullptr, told), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(Api::on_consumer(face, told, nullptr), DOCA_ERROR_INVALID_VALUE);
}

TYPED_TEST(ComchEndpointTest, ANameIsOneToAHundredAndNineteenBytesWithoutSlash) {
  using Api = TypeParam;
  typename Api::Context* made = nullptr;
  const auto create = [&](const std::string& name) {
    return Api::create(this->server.device, this->server.representor, this->client.device, name,
                       &made);
  };
  for (const std::string& bad : {std::string(), std::string("a/b"), std::string("."),
                                 std::string(120, 'n'), std::string(300, 'n')}) {
    EXPECT_EQ(create(bad), DOCA_ERROR_INVALID_VALUE) << bad;
    EXPECT_EQ(made, nullptr);
  }
  ASSERT_EQ(create(std::string(119, 'n')), DOCA_SUCCESS);
  EXPECT_EQ(Api::destroy(made), DOCA_SUCCESS);
}

TYPED_TEST(ComchEndpointTest, SizesAreWithinTheCapability) {
  using Api = TypeParam;
  auto* const face = this->context;
  uint32_t value = 0;
  const uint32_t longest = this->capability(doca_comch_cap_get_max_msg_size);
  EXPECT_EQ(Api::set_max_msg_size(face, longest), DOCA_SUCCESS);
  EXPECT_EQ(Api::set_max_msg_size(face, longest + 1), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(Api::set_max_msg_size(face, UINT32_MAX), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(Api::set_max_msg_size(face, 0), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(Api::get_max_msg_size(face, &value), DOCA_SUCCESS);
  EXPECT_EQ(value, longest);
  const uint32_t deepest = this->capability(doca_comch_cap_get_max_recv_queue_size);
  EXPECT_EQ(Api::set_recv_queue_size(face, deepest), DOCA_SUCCESS);
  EXPECT_EQ(Api::set_recv_queue_size(face, deepest + 1), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(Api::set_recv_queue_size(face, UINT32_MAX), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(Api::set_recv_queue_size(face, 0), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(Api::get_recv_queue_size(face, &value), DOCA_SUCCESS);
  EXPECT_EQ(value, deepest);
  const uint32_t most = this->capability(doca_comch_cap_get_max_send_tasks);
  EXPECT_EQ(Api::set_conf(face, done, done, most), DOCA_SUCCESS);
  EXPECT_EQ(Api::set_conf(face, done, done, most + 1), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(Api::set_conf(face, done, done, UINT32_MAX), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(Api::set_conf(face, done, done, 0), DOCA_ERROR_INVALID_VALUE);
}

TYPED_TEST(ComchEndpointTest, DefaultsHoldUntilSomethingIsSet) {
  using Api = TypeParam;
  typename Api::Context* made = nullptr;
  ASSERT_EQ(Api::create(this->server.device, this->server.representor, this->client.device, "other",
                        &made),
            DOCA_SUCCESS);
  uint32_t value = 0;
  EXPECT_EQ(Api::get_max_msg_size(made, &value), DOCA_SUCCESS);
  EXPECT_EQ(value, 4080u);
  EXPECT_EQ(Api::get_recv_queue_size(made, &value), DOCA_SUCCESS);
  EXPECT_EQ(value, 64u);
  EXPECT_EQ(Api::destroy(made), DOCA_SUCCESS);
}

TYPED_TEST(ComchEndpointTest, WhatRunsIsNotConfiguredButAsked) {
  using Api = TypeParam;
  auto* const face = this->context;
  this->run();
  EXPECT_EQ(Api::set_max_msg_size(face, 64), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(Api::set_recv_queue_size(face, 64), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(Api::set_conf(face, done, done, 1), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(Api::on_message(face, received), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(Api::on_consumer(face, told, told), DOCA_ERROR_BAD_STATE);
  uint32_t value = 0;
  doca_dev* dev = nullptr;
  EXPECT_EQ(Api::get_max_msg_size(face, &value), DOCA_SUCCESS);
  EXPECT_EQ(value, 4080u);
  EXPECT_EQ(Api::get_recv_queue_size(face, &value), DOCA_SUCCESS);
  EXPECT_EQ(value, 10u);
  EXPECT_EQ(Api::get_device(face, &dev), DOCA_SUCCESS);
  EXPECT_NE(dev, nullptr);
  EXPECT_EQ(Api::destroy(face), DOCA_ERROR_IN_USE);
}

TYPED_TEST(ComchEndpointTest, IsConfiguredAnewWhenItIsIdleAgain) {
  using Api = TypeParam;
  this->run();
  ASSERT_EQ(this->client.stop(), DOCA_ERROR_IN_PROGRESS);
  ASSERT_TRUE(this->client.run_until_idle());
  ASSERT_TRUE(this->server.run_until([&] { return this->server.endings == 1; }));
  ASSERT_EQ(this->server.stop(), DOCA_SUCCESS);
  EXPECT_EQ(Api::set_recv_queue_size(this->context, 3), DOCA_SUCCESS);
  EXPECT_EQ(Api::on_message(this->context, received), DOCA_SUCCESS);
  this->run();
}

}  // namespace
}  // namespace comch::test
