// RuinedDevice: an accelerator for calls of device functions that may break a rule, which ruins it;
// so each call is made on one of its own.
//
//   try_on_device("doca_dpa_dev_comch_consumer_ack", "num_msg", {.most = kDepth, .above = kRuined},
//                 [](Device& d, auto n) { doca_dpa_dev_comch_consumer_ack(d.handles.consumer, n);
//                 });
//
// Threads: the test's; the call runs on the accelerator's. Lifetime: the call.
#pragma once

#include <doca_dpa_dev_buf.h>

#include <cstdint>
#include <functional>

#include "doca/bad_input/rows.h"
#include "doca/msgq_program.h"

namespace comch::test {

inline constexpr std::uint32_t kDepth = 4;
inline constexpr std::uint32_t kCpu = 1;  // The consumer on the CPU.
inline constexpr std::size_t kSize = 64;
inline constexpr auto kRuined = kNo;

inline void do_nothing(std::uint64_t) {}

inline std::uint64_t call_body(std::uint64_t body) {
  (*reinterpret_cast<const std::function<void()>*>(body))();
  return 0;
}

// A program with a MsgQ in each direction, and copies.
struct Device {
  Device() {
    EXPECT_EQ(doca_dpa_completion_create(program.dpa, kDepth, &completion), kYes);
    EXPECT_EQ(doca_dpa_completion_start(completion), kYes);
    EXPECT_EQ(doca_dpa_completion_get_dpa_handle(completion, &completions), kYes);
    EXPECT_EQ(doca_dpa_async_ops_create(program.dpa, kDepth, 0, &operations), kYes);
    EXPECT_EQ(doca_dpa_async_ops_attach(operations, completion), kYes);
    EXPECT_EQ(doca_dpa_async_ops_start(operations), kYes);
    EXPECT_EQ(doca_dpa_async_ops_get_dpa_handle(operations, &copies), kYes);
  }
  ~Device() {
    EXPECT_EQ(doca_dpa_async_ops_destroy(operations), kYes);
    EXPECT_EQ(doca_dpa_completion_destroy(completion), kYes);
  }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  // Whether `body` leaves the accelerator whole.
  doca_error_t call(const std::function<void()>& body) {
    std::uint64_t answer = 0;
    doca_dpa_rpc(program.dpa, device_function(call_body), &answer,
                 reinterpret_cast<std::uint64_t>(&body));
    return doca_dpa_peek_at_last_error(program.dpa) == kYes ? kYes : kRuined;
  }
  // Whether, besides, the CPU gets a message.
  doca_error_t call_and_hear(const std::function<void()>& body) {
    EXPECT_EQ(program.consumer().post(nullptr), kYes);
    const doca_error_t whole = call(body);
    settle(program.pe);
    const bool heard = program.consumer().received.size() == 1;
    return whole == kYes && !heard ? kUnheard : whole;
  }
  static constexpr auto kUnheard = DOCA_ERROR_NOT_FOUND;
  MsgqProgram program{do_nothing, kDepth};
  const DeviceArgument& handles = program.argument;
  doca_dpa_completion* completion = nullptr;
  doca_dpa_async_ops* operations = nullptr;
  doca_dpa_dev_completion_t completions = 0;
  doca_dpa_dev_async_ops_t copies = 0;
};

// A map of `kSize` bytes, which each such program can reach. The map whose handle was asked for
// last has the largest number of all.
struct MapThere {
  MapThere() { EXPECT_EQ(doca_mmap_dev_get_dpa_handle(memory.map(), device, &handle), kYes); }
  std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(memory.at(0)); }

  OpenDevice device{kDpuPci};
  Memory memory{device, kSize};
  doca_dpa_dev_mmap_t handle = 0;
};

inline std::uint32_t u32(std::uint64_t n) { return static_cast<std::uint32_t>(n); }

// `call` of a number leaves the accelerator whole, or ruins it.
using Call = std::function<void(Device&, std::uint64_t)>;
inline void try_on_device(const char* function, const char* argument, const Bounds& bounds,
                          const Call& call) {
  try_number(function, argument, bounds, [&](auto n) {
    Device device;
    return device.call([&] { call(device, n); });
  });
}

}  // namespace comch::test
