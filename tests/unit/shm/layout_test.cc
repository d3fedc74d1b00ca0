// The contract of ControlLayout.
#include "shm/layout.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

namespace comch::shm {
namespace {

TEST(ControlLayoutTest, TheDefaultsLieWhereTheFormatSays) {
  const ControlLayout layout =
      ControlLayout::make({.max_message = 4080, .to_server_queue = 64, .to_client_queue = 64})
          .value();
  EXPECT_EQ(layout.to_server.shared, 1024U);
  EXPECT_EQ(layout.to_client.shared, 2048U);
  EXPECT_EQ(layout.to_server.data, 4096U);
  EXPECT_EQ(layout.to_client.data, 4096U + 262144U);
  EXPECT_EQ(layout.size, 4096U + 2 * 262144U);
}

TEST(ControlLayoutTest, PartsOfEveryLayoutAreAlignedApartAndInside) {
  for (const std::uint32_t size : {1U, 7U, 4080U, 65535U}) {
    for (const std::uint32_t up : {1U, 64U, 8192U}) {
      for (const std::uint32_t down : {1U, 64U, 8192U}) {
        const ControlLayout layout =
            ControlLayout::make(
                {.max_message = size, .to_server_queue = up, .to_client_queue = down})
                .value();
        EXPECT_EQ(layout.to_server.data % kPage, 0U);
        EXPECT_EQ(layout.to_client.data, layout.to_server.data + layout.to_server.capacity);
        EXPECT_EQ(layout.to_client.data % kPage, 0U);
        EXPECT_EQ(layout.size, layout.to_client.data + layout.to_client.capacity);
        EXPECT_EQ(layout.to_server.queue, up);
        EXPECT_EQ(layout.to_client.queue, down);
        EXPECT_LE(layout.size, kPage + (2U << 20U));
      }
    }
  }
}

TEST(ControlLayoutTest, SizesOutsideTheirLimitsAreRefused) {
  using Sizes = ControlLayout::Sizes;
  for (const Sizes& sizes : {Sizes{0, 1, 1}, Sizes{65536, 1, 1}, Sizes{1, 0, 1}, Sizes{1, 8193, 1},
                             Sizes{1, 1, 0}, Sizes{1, 1, 8193}, Sizes{~0U, ~0U, ~0U}}) {
    const auto layout = ControlLayout::make(sizes);
    ASSERT_FALSE(layout);
    EXPECT_EQ(layout.error().code, Errc::invalid_value);
  }
}

TEST(ControlLayoutTest, ADescribedRegionIsReadyForBothRings) {
  const ControlLayout layout =
      ControlLayout::make({.max_message = 100, .to_server_queue = 4, .to_client_queue = 4}).value();
  struct alignas(kPage) Page {
    std::array<std::byte, kPage> bytes{};
  };
  std::vector<Page> region(layout.size / kPage);
  std::byte* const base = region.front().bytes.data();
  write_head(base, layout);
  EXPECT_EQ(std::memcmp(base, "CMCH_REG\x01\0\0\0\x64\0\0\0", 16), 0);
  for (const RingPlace& place : {layout.to_server, layout.to_client}) {
    RingShared<>& shared = ring_at(base, place.shared);
    RecordSender<> sender(shared, base + place.data, place.capacity, layout.max_message,
                          place.queue);
    RecordReceiver<> receiver(shared, base + place.data, place.capacity, layout.max_message,
                              place.queue);
    std::array<std::byte, 100> message{};
    message.fill(std::byte{0x5a});
    ASSERT_TRUE(sender.push(message));
    std::array<std::byte, 100> scratch{};
    std::uint32_t size = 0;
    ASSERT_EQ(receiver.look(scratch.data(), size), Look::kMessage);
    EXPECT_EQ(size, 100U);
    EXPECT_EQ(scratch, message);
  }
}

}  // namespace
}  // namespace comch::shm
