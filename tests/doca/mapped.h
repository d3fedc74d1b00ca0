// Mapped: tests of memory: a started map over bytes of the test's own, and an inventory.
//
// Threads: the test's. Lifetime: what a test borrows it gives back; the maps end with the test.
#pragma once

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_mmap.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace comch::test {

struct MappedTest : testing::Test {
  MappedTest() {
    EXPECT_EQ(doca_mmap_create(&map), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_set_memrange(map, memory.data(), memory.size()), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_PCI_READ_WRITE), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_start(map), DOCA_SUCCESS);
    EXPECT_EQ(doca_buf_inventory_create(2, &inventory), DOCA_SUCCESS);
    EXPECT_EQ(doca_buf_inventory_start(inventory), DOCA_SUCCESS);
  }
  ~MappedTest() override {
    EXPECT_EQ(doca_buf_inventory_destroy(inventory), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_destroy(map), DOCA_SUCCESS);
  }

  // A buffer over the whole range, without data.
  doca_buf* borrow() {
    doca_buf* buf = nullptr;
    EXPECT_EQ(
        doca_buf_inventory_buf_get_by_addr(inventory, map, memory.data(), memory.size(), &buf),
        DOCA_SUCCESS);
    return buf;
  }
  static void give_back(doca_buf* buf) {
    EXPECT_EQ(doca_buf_dec_refcount(buf, nullptr), DOCA_SUCCESS);
  }

  std::array<std::byte, 4096> memory{};
  doca_mmap* map = nullptr;
  doca_buf_inventory* inventory = nullptr;
};

}  // namespace comch::test
