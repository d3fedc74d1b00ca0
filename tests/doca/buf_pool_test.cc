// doca_buf_pool: one map cut into buffers.
#include <doca_buf_pool.h>

#include <cstdint>

#include "doca/mapped.h"

namespace comch::test {
namespace {

struct BufPoolTest : MappedTest {
  BufPoolTest() { EXPECT_EQ(doca_buf_pool_create(2, 64, map, &pool), DOCA_SUCCESS); }
  ~BufPoolTest() override { EXPECT_EQ(doca_buf_pool_destroy(pool), DOCA_SUCCESS); }

  doca_buf* alloc() {
    doca_buf* buf = nullptr;
    EXPECT_EQ(doca_buf_pool_buf_alloc(pool, &buf), DOCA_SUCCESS);
    return buf;
  }

  doca_buf_pool* pool = nullptr;
};

TEST_F(BufPoolTest, NumbersAreNotZeroAndTheMapHasMemory) {
  doca_buf_pool* other = nullptr;
  doca_mmap* empty = nullptr;
  ASSERT_EQ(doca_mmap_create(&empty), DOCA_SUCCESS);
  EXPECT_EQ(doca_buf_pool_create(0, 64, map, &other), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_buf_pool_create(2, 0, map, &other), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_buf_pool_create(SIZE_MAX, 64, map, &other), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_buf_pool_create(2, 64, empty, &other), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(other, nullptr);
  EXPECT_EQ(doca_mmap_destroy(empty), DOCA_SUCCESS);
}

TEST_F(BufPoolTest, BuffersComeWithoutDataUntilThePoolIsEmpty) {
  ASSERT_EQ(doca_buf_pool_start(pool), DOCA_SUCCESS);
  doca_buf* first = alloc();
  doca_buf* second = alloc();
  size_t length = 99;
  EXPECT_EQ(doca_buf_get_data_len(first, &length), DOCA_SUCCESS);
  EXPECT_EQ(length, 0u);
  EXPECT_EQ(doca_buf_get_len(first, &length), DOCA_SUCCESS);
  EXPECT_EQ(length, 64u);
  doca_buf* third = nullptr;
  EXPECT_EQ(doca_buf_pool_buf_alloc(pool, &third), DOCA_ERROR_EMPTY);
  EXPECT_EQ(doca_buf_pool_stop(pool), DOCA_ERROR_IN_USE);
  EXPECT_EQ(doca_buf_pool_destroy(pool), DOCA_ERROR_IN_USE);
  EXPECT_EQ(doca_mmap_stop(map), DOCA_ERROR_NOT_PERMITTED);
  give_back(first);
  EXPECT_EQ(alloc(), first);
  give_back(first);
  give_back(second);
  EXPECT_EQ(doca_buf_pool_stop(pool), DOCA_SUCCESS);
}

TEST_F(BufPoolTest, ItIsStartedOnceOverAStartedMapThatIsLargeEnough) {
  doca_buf* buf = nullptr;
  EXPECT_EQ(doca_buf_pool_buf_alloc(pool, &buf), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_buf_pool_stop(pool), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_mmap_stop(map), DOCA_SUCCESS);
  EXPECT_EQ(doca_buf_pool_start(pool), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_mmap_start(map), DOCA_SUCCESS);
  EXPECT_EQ(doca_buf_pool_start(pool), DOCA_SUCCESS);
  EXPECT_EQ(doca_buf_pool_start(pool), DOCA_ERROR_BAD_STATE);
  doca_buf_pool* large = nullptr;
  ASSERT_EQ(doca_buf_pool_create(3, memory.size() / 2, map, &large), DOCA_SUCCESS);
  EXPECT_EQ(doca_buf_pool_start(large), DOCA_ERROR_INITIALIZATION);
  EXPECT_EQ(doca_buf_pool_destroy(large), DOCA_SUCCESS);
}

TEST_F(BufPoolTest, BuffersBeginAtTheAlignment) {
  size_t alignment = 0;
  EXPECT_EQ(doca_buf_pool_get_element_alignment(pool, &alignment), DOCA_SUCCESS);
  EXPECT_EQ(alignment, 1u);
  EXPECT_EQ(doca_buf_pool_set_element_alignment(pool, 0), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_buf_pool_set_element_alignment(pool, 96), DOCA_ERROR_INVALID_VALUE);
  ASSERT_EQ(doca_buf_pool_set_element_alignment(pool, 128), DOCA_SUCCESS);
  ASSERT_EQ(doca_buf_pool_start(pool), DOCA_SUCCESS);
  EXPECT_EQ(doca_buf_pool_set_element_alignment(pool, 1), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_buf_pool_get_element_alignment(pool, &alignment), DOCA_SUCCESS);
  EXPECT_EQ(alignment, 128u);
  for (doca_buf* buf : {alloc(), alloc()}) {
    void* head = nullptr;
    EXPECT_EQ(doca_buf_get_head(buf, &head), DOCA_SUCCESS);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(head) % 128, 0u);
    give_back(buf);
  }
}

TEST_F(BufPoolTest, CountsAndUserDataAreAnswered) {
  uint32_t number = 99;
  doca_data data{.u64 = 99};
  EXPECT_EQ(doca_buf_pool_get_user_data(pool, &data), DOCA_SUCCESS);
  EXPECT_EQ(data.u64, 0u);
  EXPECT_EQ(doca_buf_pool_set_user_data(pool, {.u64 = 7}), DOCA_SUCCESS);
  ASSERT_EQ(doca_buf_pool_start(pool), DOCA_SUCCESS);
  EXPECT_EQ(doca_buf_pool_set_user_data(pool, {.u64 = 8}), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_buf_pool_get_user_data(pool, &data), DOCA_SUCCESS);
  EXPECT_EQ(data.u64, 7u);
  doca_buf* buf = alloc();
  EXPECT_EQ(doca_buf_pool_get_num_elements(pool, &number), DOCA_SUCCESS);
  EXPECT_EQ(number, 2u);
  EXPECT_EQ(doca_buf_pool_get_num_free_elements(pool, &number), DOCA_SUCCESS);
  EXPECT_EQ(number, 1u);
  give_back(buf);
}

TEST_F(BufPoolTest, NullIsRefused) {
  doca_buf* buf = nullptr;
  doca_data data{};
  uint32_t number = 0;
  size_t size = 0;
  const auto no = DOCA_ERROR_INVALID_VALUE;
  EXPECT_EQ(doca_buf_pool_create(1, 1, nullptr, &pool), no);
  EXPECT_EQ(doca_buf_pool_create(1, 1, map, nullptr), no);
  EXPECT_EQ(doca_buf_pool_destroy(nullptr), no);
  EXPECT_EQ(doca_buf_pool_start(nullptr), no);
  EXPECT_EQ(doca_buf_pool_stop(nullptr), no);
  EXPECT_EQ(doca_buf_pool_buf_alloc(nullptr, &buf), no);
  EXPECT_EQ(doca_buf_pool_buf_alloc(pool, nullptr), no);
  EXPECT_EQ(doca_buf_pool_set_user_data(nullptr, data), no);
  EXPECT_EQ(doca_buf_pool_set_element_alignment(nullptr, 1), no);
  EXPECT_EQ(doca_buf_pool_get_num_elements(nullptr, &number), no);
  EXPECT_EQ(doca_buf_pool_get_num_elements(pool, nullptr), no);
  EXPECT_EQ(doca_buf_pool_get_num_free_elements(nullptr, &number), no);
  EXPECT_EQ(doca_buf_pool_get_num_free_elements(pool, nullptr), no);
  EXPECT_EQ(doca_buf_pool_get_user_data(nullptr, &data), no);
  EXPECT_EQ(doca_buf_pool_get_user_data(pool, nullptr), no);
  EXPECT_EQ(doca_buf_pool_get_element_alignment(nullptr, &size), no);
  EXPECT_EQ(doca_buf_pool_get_element_alignment(pool, nullptr), no);
}

}  // namespace
}  // namespace comch::test
