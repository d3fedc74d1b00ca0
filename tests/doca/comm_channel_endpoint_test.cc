// Endpoints: limits, properties, life.
#include <doca_comm_channel.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdint>

#include "doca/endpoints.h"
#include "support/child_process.h"

namespace comch::test {
namespace {

using EndpointTest = LegacyTest;

TEST_F(EndpointTest, NamesTheLimitsOfADevice) {
  std::uint32_t value = 0;
  EXPECT_EQ(doca_comm_channel_get_max_service_name_len(&value), DOCA_SUCCESS);
  EXPECT_EQ(value, 120U);
  EXPECT_EQ(doca_comm_channel_get_max_message_size(host.info(), &value), DOCA_SUCCESS);
  EXPECT_GE(value, 4080U);
  EXPECT_EQ(doca_comm_channel_get_max_send_queue_size(host.info(), &value), DOCA_SUCCESS);
  EXPECT_EQ(value, 8192U);
  EXPECT_EQ(doca_comm_channel_get_max_recv_queue_size(dpu.info(), &value), DOCA_SUCCESS);
  EXPECT_EQ(value, 8192U);
  EXPECT_EQ(doca_comm_channel_get_service_max_num_connections(dpu.info(), &value), DOCA_SUCCESS);
  EXPECT_GE(value, 512U);
  EXPECT_EQ(doca_comm_channel_get_service_max_num_connections(host.info(), &value),
            DOCA_ERROR_NOT_SUPPORTED);
}

TEST_F(EndpointTest, RefusesNullForEveryLimit) {
  std::uint32_t value = 0;
  EXPECT_EQ(doca_comm_channel_get_max_service_name_len(nullptr), DOCA_ERROR_INVALID_VALUE);
  for (auto* get :
       {doca_comm_channel_get_max_message_size, doca_comm_channel_get_max_send_queue_size,
        doca_comm_channel_get_max_recv_queue_size,
        doca_comm_channel_get_service_max_num_connections}) {
    EXPECT_EQ(get(nullptr, &value), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(get(dpu.info(), nullptr), DOCA_ERROR_INVALID_VALUE);
  }
}

TEST_F(EndpointTest, IsCreatedAndDestroyed) {
  doca_comm_channel_ep_t* endpoint = nullptr;
  EXPECT_EQ(doca_comm_channel_ep_create(nullptr), DOCA_ERROR_INVALID_VALUE);
  ASSERT_EQ(doca_comm_channel_ep_create(&endpoint), DOCA_SUCCESS);
  EXPECT_EQ(doca_comm_channel_ep_destroy(endpoint), DOCA_SUCCESS);
  EXPECT_EQ(doca_comm_channel_ep_destroy(nullptr), DOCA_ERROR_NOT_CONNECTED);
}

TEST_F(EndpointTest, AForkedProcessDestroysItsParentsEndpointsAndTheyLiveOn) {
  Endpoint service = listening();
  Endpoint client = connected(service);
  introduce(client, service);
  ChildProcess child = ChildProcess::run([&] {
    client.destroy();
    service.destroy();
    return 0;
  });
  EXPECT_EQ(child.wait(), Exit::with(0));
  ASSERT_EQ(client.send("still there"), DOCA_SUCCESS);
  EXPECT_EQ(service.next(), "still there");
  ASSERT_EQ(service.send("so am I", service.from), DOCA_SUCCESS);
  EXPECT_EQ(client.next(), "so am I");
  Endpoint another = connected(service);
  EXPECT_EQ(service.next(Deadline(std::chrono::milliseconds(0))), std::nullopt);
}

TEST_F(EndpointTest, WithoutDescriptorsThereIsNoneAndItHasNoEvents) {
  ChildProcess child = ChildProcess::run([&] {
    Endpoint service = listening();
    const rlimit none{.rlim_cur = 0, .rlim_max = 0};
    if (setrlimit(RLIMIT_NOFILE, &none) != 0) return 1;
    doca_comm_channel_ep_t* endpoint = nullptr;
    EXPECT_EQ(doca_comm_channel_ep_create(&endpoint), DOCA_ERROR_INITIALIZATION);
    EXPECT_EQ(endpoint, nullptr);
    int event = -1;
    EXPECT_EQ(doca_comm_channel_ep_get_event_channel(service, &event, nullptr),
              DOCA_ERROR_NOT_FOUND);
    EXPECT_EQ(event, -1);
    return HasFailure() ? 1 : 0;
  });
  EXPECT_EQ(child.wait(), Exit::with(0));
}

TEST_F(EndpointTest, KeepsItsDevices) {
  doca_comm_channel_ep_t* endpoint = nullptr;
  ASSERT_EQ(doca_comm_channel_ep_create(&endpoint), DOCA_SUCCESS);
  doca_dev* device = dpu;
  doca_dev_rep* representor = function;
  EXPECT_EQ(doca_comm_channel_ep_get_device(endpoint, &device), DOCA_SUCCESS);
  EXPECT_EQ(doca_comm_channel_ep_get_device_rep(endpoint, &representor), DOCA_SUCCESS);
  EXPECT_EQ(device, nullptr) << "not set yet";
  EXPECT_EQ(representor, nullptr) << "not set yet";
  EXPECT_EQ(doca_comm_channel_ep_set_device(endpoint, dpu), DOCA_SUCCESS);
  EXPECT_EQ(doca_comm_channel_ep_set_device_rep(endpoint, function), DOCA_SUCCESS);
  EXPECT_EQ(doca_comm_channel_ep_get_device(endpoint, &device), DOCA_SUCCESS);
  EXPECT_EQ(doca_comm_channel_ep_get_device_rep(endpoint, &representor), DOCA_SUCCESS);
  EXPECT_EQ(device, static_cast<doca_dev*>(dpu));
  EXPECT_EQ(representor, static_cast<doca_dev_rep*>(function));
  EXPECT_EQ(doca_comm_channel_ep_destroy(endpoint), DOCA_SUCCESS);
}

TEST_F(EndpointTest, WorksOnWhenItsDevicesWereClosed) {
  Endpoint service = idle_service();
  Endpoint client = idle_client();
  function.close();
  dpu.close();
  host.close();
  ASSERT_EQ(doca_comm_channel_ep_listen(service, "echo"), DOCA_SUCCESS);
  ASSERT_EQ(client.connect("echo"), DOCA_SUCCESS);
  EXPECT_EQ(service.take(), DOCA_ERROR_AGAIN);
  EXPECT_EQ(update_of(client.peer), DOCA_SUCCESS);
}

TEST_F(EndpointTest, RefusesNullForEveryProperty) {
  Endpoint endpoint = idle_service();
  doca_dev* device = nullptr;
  doca_dev_rep* representor = nullptr;
  EXPECT_EQ(doca_comm_channel_ep_get_device(nullptr, &device), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comm_channel_ep_get_device(endpoint, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comm_channel_ep_get_device_rep(nullptr, &representor), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comm_channel_ep_get_device_rep(endpoint, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comm_channel_ep_set_device(nullptr, dpu), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comm_channel_ep_set_device(endpoint, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comm_channel_ep_set_device_rep(nullptr, function), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comm_channel_ep_set_device_rep(endpoint, nullptr), DOCA_ERROR_INVALID_VALUE);
}

// One of the three numbers of an endpoint.
struct Number {
  const char* name;
  doca_error_t (*get)(doca_comm_channel_ep_t*, std::uint16_t*);
  doca_error_t (*set)(doca_comm_channel_ep_t*, std::uint16_t);
  std::uint32_t max;
  std::uint16_t least;          // What 1 is made.
  std::uint16_t from_thousand;  // What 1000 is made.
};

struct NumberTest : LegacyTest, testing::WithParamInterface<Number> {
  doca_error_t set(doca_comm_channel_ep_t* ep, std::uint32_t value) const {
    return GetParam().set(ep, static_cast<std::uint16_t>(value));
  }
  std::uint16_t get(doca_comm_channel_ep_t* ep) const {
    std::uint16_t value = 0;
    EXPECT_EQ(GetParam().get(ep, &value), DOCA_SUCCESS);
    return value;
  }
};

TEST_P(NumberTest, HasADefaultAndIsRoundedUp) {
  Endpoint endpoint = idle_client();
  EXPECT_GE(get(endpoint), 16);
  EXPECT_EQ(set(endpoint, 1), DOCA_SUCCESS);
  EXPECT_EQ(get(endpoint), GetParam().least);
  EXPECT_EQ(set(endpoint, 1000), DOCA_SUCCESS);
  EXPECT_EQ(get(endpoint), GetParam().from_thousand);
  EXPECT_EQ(set(endpoint, GetParam().max), DOCA_SUCCESS);
  EXPECT_EQ(get(endpoint), GetParam().max);
}

TEST_P(NumberTest, RefusesNoneAndTooManyAndNull) {
  Endpoint endpoint = idle_client();
  const std::uint16_t before = get(endpoint);
  EXPECT_EQ(set(endpoint, 0), DOCA_ERROR_INVALID_VALUE);
  if (GetParam().max < UINT16_MAX) {
    EXPECT_EQ(set(endpoint, GetParam().max + 1), DOCA_ERROR_INVALID_VALUE);
  }
  EXPECT_EQ(get(endpoint), before);
  EXPECT_EQ(set(nullptr, 16), DOCA_ERROR_INVALID_VALUE);
  std::uint16_t value = 0;
  EXPECT_EQ(GetParam().get(nullptr, &value), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(GetParam().get(endpoint, nullptr), DOCA_ERROR_INVALID_VALUE);
}

TEST_P(NumberTest, IsFixedOnceTheEndpointIsActiveAndCanStillBeAskedFor) {
  Endpoint service = listening();
  Endpoint client = connecting();
  for (doca_comm_channel_ep_t* endpoint : {&*service, &*client}) {
    const std::uint16_t before = get(endpoint);
    EXPECT_EQ(set(endpoint, 32), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(get(endpoint), before);
    EXPECT_EQ(doca_comm_channel_ep_set_device(endpoint, dpu), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_comm_channel_ep_set_device_rep(endpoint, function), DOCA_ERROR_BAD_STATE);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Every, NumberTest,
    testing::Values(Number{"MessageSize", doca_comm_channel_ep_get_max_msg_size,
                           doca_comm_channel_ep_set_max_msg_size, 65535, 1, 1000},
                    Number{"SendQueue", doca_comm_channel_ep_get_send_queue_size,
                           doca_comm_channel_ep_set_send_queue_size, 8192, 16, 1024},
                    Number{"RecvQueue", doca_comm_channel_ep_get_recv_queue_size,
                           doca_comm_channel_ep_set_recv_queue_size, 8192, 16, 1024}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace comch::test
