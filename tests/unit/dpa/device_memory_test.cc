// DeviceMemory: allocations, and access that never leaves one.
#include "dpa/device_memory.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>

namespace comch::dpa {
namespace {

DeviceAddress plus(DeviceAddress address, std::uint64_t bytes) {
  return DeviceAddress{static_cast<std::uint64_t>(address) + bytes};
}

struct DeviceMemoryTest : testing::Test {
  DeviceMemory memory;
  std::array<std::byte, 8> bytes{std::byte{1}, std::byte{2}, std::byte{3}};
};

TEST_F(DeviceMemoryTest, ReadsWhatWasWrittenAndFilled) {
  const DeviceAddress place = memory.allocate(8).value();
  ASSERT_TRUE(memory.fill(place, std::byte{9}, 8));
  ASSERT_TRUE(memory.write(plus(place, 2), std::span(bytes).first(3)));
  std::array<std::byte, 4> read{};
  ASSERT_TRUE(memory.read(read, plus(place, 1)));
  EXPECT_EQ(read, (std::array{std::byte{9}, std::byte{1}, std::byte{2}, std::byte{3}}));
}

TEST_F(DeviceMemoryTest, IsAlignedForAnyType) {
  const auto address = static_cast<std::uint64_t>(memory.allocate(1).value());
  EXPECT_EQ(address % alignof(std::max_align_t), 0U);
}

TEST_F(DeviceMemoryTest, RefusesARangeThatLeavesItsAllocation) {
  const DeviceAddress place = memory.allocate(8).value();
  EXPECT_TRUE(memory.write(place, bytes));
  EXPECT_TRUE(memory.write(plus(place, 8), {})) << "nothing, at the end";
  EXPECT_EQ(memory.write(plus(place, 1), bytes).error().code, Errc::invalid_value);
  EXPECT_EQ(memory.read(bytes, plus(place, 1)).error().code, Errc::invalid_value);
  EXPECT_EQ(memory.fill(plus(place, 9), std::byte{}, 0).error().code, Errc::invalid_value);
  EXPECT_EQ(memory.fill(place, std::byte{}, ~std::size_t{0}).error().code, Errc::invalid_value);
  EXPECT_EQ(memory.fill(DeviceAddress{}, std::byte{}, 1).error().code, Errc::invalid_value);
  EXPECT_EQ(memory.fill(DeviceAddress{~0ULL}, std::byte{}, 2).error().code, Errc::invalid_value);
}

TEST_F(DeviceMemoryTest, FreesWhatItAllocatedOnce) {
  const DeviceAddress place = memory.allocate(8).value();
  EXPECT_EQ(memory.free(plus(place, 1)).error().code, Errc::invalid_value);
  EXPECT_TRUE(memory.free(place));
  EXPECT_EQ(memory.free(place).error().code, Errc::invalid_value);
  EXPECT_EQ(memory.write(place, bytes).error().code, Errc::invalid_value);
}

TEST_F(DeviceMemoryTest, AllocatesAtLeastOneByteAndNoMoreThanThereIs) {
  EXPECT_EQ(memory.allocate(0).error().code, Errc::invalid_value);
  EXPECT_TRUE(memory.allocate(1));
  EXPECT_EQ(memory.allocate(std::numeric_limits<std::size_t>::max()).error().code, Errc::no_memory);
}

}  // namespace
}  // namespace comch::dpa
