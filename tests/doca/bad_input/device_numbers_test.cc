// What device functions do with messages, and handles of all kinds: every number at its limits.
#include "doca/bad_input/ruined_device.h"

namespace comch::test {
namespace {

// A handle that names nothing is left alone.
TEST(DeviceNumbersOfHandles, WhatNamesNothingIsLeftAlone) {
  const auto handle = [](const char* function, const char* argument, auto call) {
    try_on_device(function, argument, {}, [=](Device&, std::uint64_t n) { call(n); });
  };
  handle("doca_dpa_dev_device_set", "dpa_handle", doca_dpa_dev_device_set);
  handle("doca_dpa_dev_thread_notify", "comp_handle", doca_dpa_dev_thread_notify);
  handle("doca_dpa_dev_completion_request_notification", "dpa_comp_handle",
         doca_dpa_dev_completion_request_notification);
  handle("doca_dpa_dev_comch_consumer_completion_request_notification", "consumer_comp_handle",
         doca_dpa_dev_comch_consumer_completion_request_notification);
  handle("doca_dpa_dev_completion_ack", "dpa_comp_handle",
         [](auto n) { doca_dpa_dev_completion_ack(n, 1); });
  handle("doca_dpa_dev_comch_consumer_completion_ack", "consumer_comp_handle",
         [](auto n) { doca_dpa_dev_comch_consumer_completion_ack(n, 1); });
  handle("doca_dpa_dev_comch_consumer_ack", "consumer",
         [](auto n) { doca_dpa_dev_comch_consumer_ack(n, 1); });
  handle("doca_dpa_dev_get_completion", "dpa_comp_handle", [](auto n) {
    std::uint64_t element = 0;
    EXPECT_EQ(doca_dpa_dev_get_completion(n, &element), 0);
  });
  handle("doca_dpa_dev_comch_consumer_get_completion", "consumer_comp_handle", [](auto n) {
    std::uint64_t element = 0;
    EXPECT_EQ(doca_dpa_dev_comch_consumer_get_completion(n, &element), 0);
  });
  handle("doca_dpa_dev_comch_producer_is_consumer_empty", "producer",
         [](auto n) { EXPECT_EQ(doca_dpa_dev_comch_producer_is_consumer_empty(n, kCpu), 1); });
  handle("doca_dpa_dev_comch_producer_post_send_imm_only", "producer",
         [](auto n) { doca_dpa_dev_comch_producer_post_send_imm_only(n, kCpu, nullptr, 0, 0); });
  const MapThere from;
  const MapThere to;
  handle("doca_dpa_dev_comch_producer_dma_copy", "producer", [&](auto n) {
    doca_dpa_dev_comch_producer_dma_copy(n, kCpu, to.handle, to.address(), from.handle,
                                         from.address(), 1, nullptr, 0, 0);
  });
  handle("doca_dpa_dev_post_memcpy", "async_ops_handle", [&](auto n) {
    doca_dpa_dev_post_memcpy(n, to.handle, to.address(), from.handle, from.address(), 1, 0);
  });
  handle("doca_dpa_dev_post_buf_memcpy", "async_ops_handle", [&](auto n) {
    doca_dpa_dev_buf to_buf{to.address(), 1, to.handle, {}};
    doca_dpa_dev_buf from_buf{from.address(), 1, from.handle, {}};
    doca_dpa_dev_post_buf_memcpy(n, reinterpret_cast<std::uint64_t>(&to_buf),
                                 reinterpret_cast<std::uint64_t>(&from_buf), 0);
  });
}

// What is known by its address has one.
TEST(DeviceNumbersOfHandles, AnElementOrBufferAtZeroRuinsTheAccelerator) {
  const auto ruins = [](const std::function<void()>& body) {
    Device device;
    EXPECT_EQ(device.call(body), kRuined);
  };
  ruins([] { EXPECT_EQ(doca_dpa_dev_get_completion_type(0), DOCA_DPA_DEV_COMP_SEND_ERR); });
  ruins([] { EXPECT_EQ(doca_dpa_dev_get_completion_user_data(0), 0U); });
  ruins([] {
    std::uint32_t length = 1;
    EXPECT_EQ(doca_dpa_dev_comch_consumer_get_completion_imm(0, &length), nullptr);
    EXPECT_EQ(length, 0U);
  });
  ruins([] { EXPECT_EQ(doca_dpa_dev_comch_consumer_get_completion_producer_id(0), 0U); });
  ruins([] { doca_dpa_dev_post_buf_memcpy(1, 0, 0, 0); });
  EXPECT_EQ(doca_dpa_dev_buf_get_external_ptr(0), 0U);
}

// As many as there are; here none was got, and kDepth may be posted.
TEST(DeviceNumbers, Acknowledgements) {
  try_on_device("doca_dpa_dev_completion_ack", "num_comp", {.most = 0, .above = kRuined},
                [](Device& d, auto n) { doca_dpa_dev_completion_ack(d.completions, n); });
  try_on_device(
      "doca_dpa_dev_comch_consumer_completion_ack", "num_comp", {.most = 0, .above = kRuined},
      [](Device& d, auto n) { doca_dpa_dev_comch_consumer_completion_ack(d.handles.arrivals, n); });
  try_on_device(
      "doca_dpa_dev_comch_consumer_ack", "num_msg", {.most = kDepth, .above = kRuined},
      [](Device& d, auto n) { doca_dpa_dev_comch_consumer_ack(d.handles.consumer, u32(n)); });
}

TEST(DeviceNumbers, Messages) {
  static constexpr std::array<std::uint8_t, 32> kBytes{};
  constexpr Bounds kLengths{.most = kBytes.size(), .above = kRuined};
  constexpr Bounds kIds{.zero = Device::kUnheard, .most = kCpu, .above = Device::kUnheard};
  const auto send = [](const char* argument, const Bounds& bounds, auto call) {
    try_number("doca_dpa_dev_comch_producer_post_send_imm_only", argument, bounds, [=](auto n) {
      Device d;
      return d.call_and_hear([&] { call(d.handles.producer, u32(n)); });
    });
  };
  send("imm_length", kLengths, [](auto producer, auto n) {
    doca_dpa_dev_comch_producer_post_send_imm_only(producer, kCpu, kBytes.data(), n, 0);
  });
  send("consumer_id", kIds, [](auto producer, auto n) {
    doca_dpa_dev_comch_producer_post_send_imm_only(producer, n, kBytes.data(), 1, 0);
  });
  send("flags", {}, [](auto producer, auto n) {
    doca_dpa_dev_comch_producer_post_send_imm_only(producer, kCpu, kBytes.data(), 1, n);
  });
  constexpr Bounds kThere{.zero = kNo, .most = kCpu};
  try_number("doca_dpa_dev_comch_producer_is_consumer_empty", "consumer_id", kThere, [](auto n) {
    Device d;
    EXPECT_EQ(d.program.consumer().post(nullptr), kYes);
    int empty = 0;
    EXPECT_EQ(d.call([&] {
      empty = doca_dpa_dev_comch_producer_is_consumer_empty(d.handles.producer, u32(n));
    }),
              kYes);
    return empty == 0 ? kYes : kNo;
  });
}

}  // namespace
}  // namespace comch::test
