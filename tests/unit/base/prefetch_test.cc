// What a prefetch does not do.
#include "base/prefetch.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <array>

namespace comch {
namespace {

TEST(PrefetchTest, WhatIsAskedForStaysAsItIs) {
  std::array<std::byte, kWrittenAhead + 64> memory{};
  memory.fill(std::byte{7});
  prefetch_for_write(memory.data(), memory.size());
  for (const std::byte each : memory) EXPECT_EQ(each, std::byte{7});
}

TEST(PrefetchTest, AskingForWhatMayNotBeTouchedIsNoFault) {
  void* const closed =
      ::mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, /*fd=*/-1, /*offset=*/0);
  ASSERT_NE(closed, MAP_FAILED);
  prefetch_for_write(static_cast<std::byte*>(closed), 4096);
  ASSERT_EQ(::munmap(closed, 4096), 0);
  prefetch_for_write(static_cast<std::byte*>(closed), 4096);
}

}  // namespace
}  // namespace comch
