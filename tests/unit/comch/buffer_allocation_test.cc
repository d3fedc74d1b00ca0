// Buffers cost no allocation per message.
#include <gtest/gtest.h>

#include <array>

#include "comch/buffer.h"
#include "support/counting_allocator.h"

namespace comch {
namespace {

struct BufferAllocationTest : testing::Test {
  BufferAllocationTest() {
    EXPECT_TRUE(map->set_range(bytes.data(), bytes.size()));
    EXPECT_TRUE(map->start());
  }
  std::array<std::byte, 256> bytes{};
  std::unique_ptr<MemoryMap> map = MemoryMap::create().value();
};

TEST_F(BufferAllocationTest, AnInventoryAllocatesNothingOnceItIsMade) {
  auto inventory = BufferInventory::create(4).value();
  ASSERT_TRUE(inventory->start());
  const test::AllocationCount before = test::allocations();
  for (int n = 0; n < 1000; ++n) {
    Buffer* buffer = inventory->get_by_data(*map, bytes).value();
    Buffer* copy = inventory->duplicate(*buffer).value();
    std::ignore = copy->drop_reference();
    std::ignore = buffer->drop_reference();
  }
  EXPECT_EQ(test::allocations(), before);
}

TEST_F(BufferAllocationTest, APoolAllocatesNothingOnceItIsMade) {
  auto pool = BufferPool::create(4, 64, *map).value();
  const test::AllocationCount before = test::allocations();
  ASSERT_TRUE(pool->start());
  for (int n = 0; n < 1000; ++n) std::ignore = pool->get().value()->drop_reference();
  ASSERT_TRUE(pool->stop());
  EXPECT_EQ(test::allocations(), before);
}

}  // namespace
}  // namespace comch
