// doca_buf_inventory: lending buffers over any part of a map.
#include <doca_buf_inventory.h>

#include "doca/mapped.h"

namespace comch::test {
namespace {

constexpr size_t kMostBuffers = size_t{1} << 24;

struct BufInventoryTest : MappedTest {
  uint32_t free_elements() const {
    uint32_t free = 99;
    EXPECT_EQ(doca_buf_inventory_get_num_free_elements(inventory, &free), DOCA_SUCCESS);
    return free;
  }
  doca_error_t get(size_t offset, size_t length, size_t data, size_t data_length) {
    doca_buf* buf = nullptr;
    const doca_error_t result = doca_buf_inventory_buf_get_by_args(
        inventory, map, memory.data() + offset, length, memory.data() + data, data_length, &buf);
    if (result == DOCA_SUCCESS) give_back(buf);
    return result;
  }
};

TEST_F(BufInventoryTest, NoneAndTooManyAreRefused) {
  doca_buf_inventory* other = nullptr;
  EXPECT_EQ(doca_buf_inventory_create(0, &other), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_buf_inventory_create(kMostBuffers + 1, &other), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_buf_inventory_create(SIZE_MAX, &other), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(other, nullptr);
}

TEST_F(BufInventoryTest, ByAddressThereIsNoDataAndByDataAllIs) {
  doca_buf* space = borrow();
  doca_buf* message = nullptr;
  size_t length = 99;
  EXPECT_EQ(doca_buf_get_data_len(space, &length), DOCA_SUCCESS);
  EXPECT_EQ(length, 0u);
  ASSERT_EQ(doca_buf_inventory_buf_get_by_data(inventory, map, &memory[8], 64, &message),
            DOCA_SUCCESS);
  EXPECT_EQ(doca_buf_get_data_len(message, &length), DOCA_SUCCESS);
  EXPECT_EQ(length, 64u);
  EXPECT_EQ(doca_buf_get_len(message, &length), DOCA_SUCCESS);
  EXPECT_EQ(length, 64u);
  give_back(space);
  give_back(message);
}

TEST_F(BufInventoryTest, RoomLiesInsideTheMapAndDataInsideTheRoom) {
  const size_t size = memory.size();
  EXPECT_EQ(get(0, size, 0, size), DOCA_SUCCESS);
  EXPECT_EQ(get(16, size - 16, 32, 64), DOCA_SUCCESS);
  EXPECT_EQ(get(0, 0, 0, 0), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(get(1, size, 1, 0), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(get(0, SIZE_MAX, 0, 0), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(get(16, 64, 15, 1), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(get(16, 64, 16, 65), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(free_elements(), 2u);
}

TEST_F(BufInventoryTest, WhenAllAreOutThereIsNoMoreMemory) {
  doca_buf* first = borrow();
  doca_buf* second = borrow();
  EXPECT_EQ(free_elements(), 0u);
  EXPECT_EQ(get(0, 1, 0, 0), DOCA_ERROR_NO_MEMORY);
  doca_buf* third = nullptr;
  EXPECT_EQ(doca_buf_inventory_buf_dup(inventory, first, &third), DOCA_ERROR_NO_MEMORY);
  EXPECT_EQ(doca_buf_inventory_destroy(inventory), DOCA_ERROR_IN_USE);
  give_back(first);
  give_back(second);
  EXPECT_EQ(free_elements(), 2u);
}

TEST_F(BufInventoryTest, AStoppedInventoryOrMapGivesNothing) {
  doca_buf* buf = borrow();
  doca_buf* other = nullptr;
  EXPECT_EQ(doca_buf_inventory_stop(inventory), DOCA_SUCCESS);
  EXPECT_EQ(get(0, 1, 0, 0), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_buf_inventory_buf_dup(inventory, buf, &other), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_buf_inventory_start(inventory), DOCA_SUCCESS);
  give_back(buf);
  EXPECT_EQ(doca_mmap_stop(map), DOCA_SUCCESS);
  EXPECT_EQ(get(0, 1, 0, 0), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(BufInventoryTest, ADuplicateHasTheSameBytesAndALifeOfItsOwn) {
  doca_buf* buf = borrow();
  ASSERT_EQ(doca_buf_set_data(buf, &memory[32], 64), DOCA_SUCCESS);
  doca_buf* twin = nullptr;
  ASSERT_EQ(doca_buf_inventory_buf_dup(inventory, buf, &twin), DOCA_SUCCESS);
  give_back(buf);
  void* data = nullptr;
  size_t length = 0;
  EXPECT_EQ(doca_buf_get_data(twin, &data), DOCA_SUCCESS);
  EXPECT_EQ(data, &memory[32]);
  EXPECT_EQ(doca_buf_get_data_len(twin, &length), DOCA_SUCCESS);
  EXPECT_EQ(length, 64u);
  give_back(twin);
}

TEST_F(BufInventoryTest, ItGrowsWhileItIsStarted) {
  uint32_t all = 0;
  EXPECT_EQ(doca_buf_inventory_expand(inventory, 3), DOCA_SUCCESS);
  EXPECT_EQ(doca_buf_inventory_get_num_elements(inventory, &all), DOCA_SUCCESS);
  EXPECT_EQ(all, 5u);
  EXPECT_EQ(doca_buf_inventory_expand(inventory, 0), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_buf_inventory_expand(inventory, UINT32_MAX), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(BufInventoryTest, UserDataIsSetWhileItIsStopped) {
  doca_data data{.u64 = 99};
  EXPECT_EQ(doca_buf_inventory_get_user_data(inventory, &data), DOCA_SUCCESS);
  EXPECT_EQ(data.u64, 0u);
  EXPECT_EQ(doca_buf_inventory_set_user_data(inventory, {.u64 = 7}), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_buf_inventory_stop(inventory), DOCA_SUCCESS);
  EXPECT_EQ(doca_buf_inventory_set_user_data(inventory, {.u64 = 7}), DOCA_SUCCESS);
  EXPECT_EQ(doca_buf_inventory_get_user_data(inventory, &data), DOCA_SUCCESS);
  EXPECT_EQ(data.u64, 7u);
}

TEST_F(BufInventoryTest, NullIsRefused) {
  doca_buf* buf = nullptr;
  doca_data data{};
  uint32_t number = 0;
  void* const at = memory.data();
  const auto no = DOCA_ERROR_INVALID_VALUE;
  EXPECT_EQ(doca_buf_inventory_create(1, nullptr), no);
  EXPECT_EQ(doca_buf_inventory_destroy(nullptr), no);
  EXPECT_EQ(doca_buf_inventory_start(nullptr), no);
  EXPECT_EQ(doca_buf_inventory_stop(nullptr), no);
  EXPECT_EQ(doca_buf_inventory_buf_get_by_args(nullptr, map, at, 1, at, 0, &buf), no);
  EXPECT_EQ(doca_buf_inventory_buf_get_by_args(inventory, nullptr, at, 1, at, 0, &buf), no);
  EXPECT_EQ(doca_buf_inventory_buf_get_by_args(inventory, map, nullptr, 1, at, 0, &buf), no);
  EXPECT_EQ(doca_buf_inventory_buf_get_by_args(inventory, map, at, 1, nullptr, 0, &buf), no);
  EXPECT_EQ(doca_buf_inventory_buf_get_by_args(inventory, map, at, 1, at, 0, nullptr), no);
  EXPECT_EQ(doca_buf_inventory_buf_dup(nullptr, buf, &buf), no);
  EXPECT_EQ(doca_buf_inventory_buf_dup(inventory, nullptr, &buf), no);
  EXPECT_EQ(doca_buf_inventory_set_user_data(nullptr, data), no);
  EXPECT_EQ(doca_buf_inventory_get_num_elements(nullptr, &number), no);
  EXPECT_EQ(doca_buf_inventory_get_num_elements(inventory, nullptr), no);
  EXPECT_EQ(doca_buf_inventory_get_num_free_elements(nullptr, &number), no);
  EXPECT_EQ(doca_buf_inventory_get_num_free_elements(inventory, nullptr), no);
  EXPECT_EQ(doca_buf_inventory_get_user_data(nullptr, &data), no);
  EXPECT_EQ(doca_buf_inventory_get_user_data(inventory, nullptr), no);
  EXPECT_EQ(doca_buf_inventory_expand(nullptr, 1), no);
  buf = borrow();
  EXPECT_EQ(doca_buf_inventory_buf_dup(inventory, buf, nullptr), no);
  give_back(buf);
}

}  // namespace
}  // namespace comch::test
