// Mappings: the kernel's number, or its usual one.
#include "os/mappings.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <fstream>

#include "unit/os/rigged_syscalls.h"

namespace comch::os {
namespace {

TEST(MappingsTest, TheMostIsWhatTheKernelSays) {
  std::ifstream file("/proc/sys/vm/max_map_count");
  std::uint64_t said = 0;
  ASSERT_TRUE(file >> said);
  EXPECT_EQ(mappings_max(), said);
}

TEST(MappingsTest, WhereItCannotBeReadItIsTheUsualNumber) {
  for (const std::uint64_t nth : {1U, 2U}) {
    const test::RiggedSyscalls rig({.nth = nth, .sys = EACCES, .sticky = true});
    EXPECT_EQ(mappings_max(), 65'530U) << nth;
    EXPECT_TRUE(rig.reached());
  }
}

}  // namespace
}  // namespace comch::os
