// DpaHandles: the numbers that kernels name maps by, through doca_mmap_dev_get_dpa_handle().
#include <doca_mmap.h>

#include "doca/described.h"
#include "doca/memory.h"

namespace comch::test {
namespace {

struct DpaHandlesTest : DescribedTest {
  DpaHandlesTest() : dev(open("03:00.0")), map(map_of(memory)) {}
  ~DpaHandlesTest() override {
    EXPECT_EQ(doca_mmap_destroy(map), DOCA_SUCCESS);
    EXPECT_EQ(doca_dev_close(dev), DOCA_SUCCESS);
  }

  doca_mmap* map_of(char (&range)[64]) const {
    doca_mmap* made = nullptr;
    EXPECT_EQ(doca_mmap_create(&made), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_set_memrange(made, range, sizeof range), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_add_dev(made, dev), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_start(made), DOCA_SUCCESS);
    return made;
  }
  uint32_t handle_of(doca_mmap* of) const {
    uint32_t handle = 0;
    EXPECT_EQ(doca_mmap_dev_get_dpa_handle(of, dev, &handle), DOCA_SUCCESS);
    return handle;
  }

  char memory[64] = {};
  doca_dev* const dev;
  doca_mmap* const map;
};

TEST_F(DpaHandlesTest, AMapIsFoundByItsNumberWhichStaysTheSame) {
  const uint32_t handle = handle_of(map);
  EXPECT_NE(handle, 0u);
  EXPECT_EQ(handle_of(map), handle);
  EXPECT_EQ(doca::map_of_dpa_handle(handle), &doca::engine_of(*map));
  EXPECT_EQ(doca::map_of_dpa_handle(0), nullptr);
  EXPECT_EQ(doca::map_of_dpa_handle(handle + 1), nullptr);
}

TEST_F(DpaHandlesTest, TwoMapsHaveTwoNumbers) {
  char more[64] = {};
  doca_mmap* other = map_of(more);
  EXPECT_NE(handle_of(map), handle_of(other));
  EXPECT_EQ(doca_mmap_destroy(other), DOCA_SUCCESS);
}

TEST_F(DpaHandlesTest, TheNumberOfAStoppedMapFindsNothingAndIsNotUsedAgain) {
  const uint32_t handle = handle_of(map);
  ASSERT_EQ(doca_mmap_stop(map), DOCA_SUCCESS);
  EXPECT_EQ(doca::map_of_dpa_handle(handle), nullptr);
  ASSERT_EQ(doca_mmap_start(map), DOCA_SUCCESS);
  EXPECT_NE(handle_of(map), handle);
  EXPECT_EQ(doca::map_of_dpa_handle(handle), nullptr);
}

TEST_F(DpaHandlesTest, TheNumberOfADestroyedMapFindsNothing) {
  char more[64] = {};
  doca_mmap* other = map_of(more);
  const uint32_t handle = handle_of(other);
  ASSERT_EQ(doca_mmap_destroy(other), DOCA_SUCCESS);
  EXPECT_EQ(doca::map_of_dpa_handle(handle), nullptr);
}

}  // namespace
}  // namespace comch::test
