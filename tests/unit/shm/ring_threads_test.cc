// Two threads, one ring: that order and content survive real concurrency, and that TSan, in
// its build, sees no race. What x86 alone would hide is ring_model's.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstring>
#include <semaphore>
#include <thread>

#include "shm/record_ring.h"
#include "support/deadline.h"

namespace comch::shm {
namespace {

struct RingThreadsTest : testing::Test {
  static constexpr std::uint32_t kCapacity = 4096;
  static constexpr std::uint32_t kMaxMessage = 256;
  static constexpr std::uint32_t kQueue = 32;

  // Message n is 8 + n % 249 bytes, each of them n's lowest but for n itself in front.
  static std::uint32_t fill(std::array<std::byte, kMaxMessage>& message, std::uint64_t n) {
    const auto size = static_cast<std::uint32_t>(sizeof n + n % (kMaxMessage - sizeof n + 1));
    std::memset(message.data(), static_cast<int>(n & 0xff), size);
    std::memcpy(message.data(), &n, sizeof n);
    return size;
  }

  RingShared<> shared{};
  alignas(8) std::array<std::byte, kCapacity> data{};
};

TEST_F(RingThreadsTest, EveryMessageArrivesOnceInOrderAndWhole) {
  constexpr std::uint64_t kMessages = 300'000;
  const test::Deadline deadline(test::patience() * 3);
  std::jthread sending([&] {
    RecordSender<> sender(shared, data.data(), kCapacity, kMaxMessage, kQueue);
    std::array<std::byte, kMaxMessage> message{};
    for (std::uint64_t n = 0; n < kMessages && !deadline.passed();) {
      const std::uint32_t size = fill(message, n);
      if (sender.push(std::span(message).first(size))) {
        ++n;
      } else {
        std::this_thread::yield();
      }
    }
  });
  RecordReceiver<> receiver(shared, data.data(), kCapacity, kMaxMessage, kQueue);
  std::array<std::byte, kMaxMessage> expected{};
  std::array<std::byte, kMaxMessage> scratch{};
  for (std::uint64_t n = 0; n < kMessages;) {
    std::uint32_t size = 0;
    const Look look = receiver.look(scratch.data(), size);
    ASSERT_NE(look, Look::kBroken);
    if (look == Look::kNothing) {
      static_cast<void>(receiver.flush());
      ASSERT_FALSE(deadline.passed()) << "after message " << n;
      std::this_thread::yield();
      continue;
    }
    ASSERT_EQ(size, fill(expected, n));
    ASSERT_EQ(std::memcmp(scratch.data(), expected.data(), size), 0) << "message " << n;
    receiver.pop();
    ++n;
  }
}

// Both sides sleep whenever they can: as many races between arm() and should_ring() as fit.
TEST_F(RingThreadsTest, TwoGuardedBellsLoseNoWakeUp) {
  constexpr std::uint64_t kMessages = 100'000;
  constexpr std::uint32_t kShort = 2;  // A queue that is full at once.
  std::counting_semaphore<> data_came(0);
  std::counting_semaphore<> room_came(0);
  const auto patience = test::patience();
  std::jthread sending([&] {
    RecordSender<> sender(shared, data.data(), kCapacity, kMaxMessage, kShort);
    BellRinger<> data_bell(shared.data_bell);
    BellSleeper<> space_bell(shared.space_bell);
    for (std::uint64_t n = 0; n < kMessages;) {
      if (sender.push(std::as_bytes(std::span(&n, 1)))) {
        ++n;
        if (data_bell.should_ring()) data_came.release();
        continue;
      }
      ASSERT_FALSE(space_bell.arm());
      ASSERT_TRUE(sender.has_room(sizeof n) || room_came.try_acquire_for(patience)) << n;
      space_bell.disarm();
    }
  });
  RecordReceiver<> receiver(shared, data.data(), kCapacity, kMaxMessage, kShort);
  BellRinger<> space_bell(shared.space_bell);
  BellSleeper<> data_bell(shared.data_bell);
  std::array<std::byte, kMaxMessage> scratch{};
  for (std::uint64_t n = 0; n < kMessages;) {
    std::uint32_t size = 0;
    if (receiver.look(scratch.data(), size) == Look::kMessage) {
      std::uint64_t got = 0;
      ASSERT_EQ(size, sizeof got);
      std::memcpy(&got, scratch.data(), sizeof got);
      ASSERT_EQ(got, n);
      receiver.pop();
      ++n;
      if (receiver.flush() && space_bell.should_ring()) room_came.release();
      continue;
    }
    ASSERT_FALSE(data_bell.arm());
    ASSERT_TRUE(receiver.ready() || data_came.try_acquire_for(patience)) << n;
    data_bell.disarm();
  }
}

}  // namespace
}  // namespace comch::shm
