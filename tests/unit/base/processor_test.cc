// Processor: says what the kernel says of the same processors.
#include "base/processor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

namespace comch {
namespace {

#if defined(__x86_64__)

bool kernel_says(const std::string& flag) {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with("flags")) continue;
    std::istringstream words(line);
    return std::find(std::istream_iterator<std::string>(words), {}, flag) !=
           std::istream_iterator<std::string>();
  }
  return false;
}

TEST(ProcessorTest, HasTheInstructionsThatTheKernelLists) {
  EXPECT_EQ(this_processor().fast_string_copy, kernel_says("erms"));
  EXPECT_EQ(this_processor().wide_stores, kernel_says("avx2"));
}

TEST(ProcessorTest, HasTheLastCacheThatTheKernelLists) {
  const std::filesystem::path caches = "/sys/devices/system/cpu/cpu0/cache";
  if (!std::filesystem::exists(caches)) GTEST_SKIP() << "the kernel lists no caches here";
  std::uint64_t largest = 0;
  for (const auto& cache : std::filesystem::directory_iterator(caches)) {
    std::uint64_t kib = 0;
    if (std::ifstream(cache.path() / "size") >> kib) largest = std::max(largest, kib << 10U);
  }
  EXPECT_EQ(this_processor().last_cache, largest);
}

#endif

}  // namespace
}  // namespace comch
