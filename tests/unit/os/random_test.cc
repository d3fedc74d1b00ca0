// Random: it fills what it is given, and says when it cannot.
#include "os/random.h"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <vector>

#include "unit/os/rigged_syscalls.h"

namespace comch::os {
namespace {

TEST(RandomTest, IsNeverTheSameTwice) {
  std::array<std::byte, 16> one{};
  std::array<std::byte, 16> two{};
  ASSERT_TRUE(fill_random(one));
  ASSERT_TRUE(fill_random(two));
  EXPECT_NE(one, two);
}

TEST(RandomTest, FillsEverythingAlsoWhenTheKernelGivesLittleAtATime) {
  Syscalls stingy = kKernel;
  stingy.getrandom = [](void* into, size_t, unsigned) -> ssize_t {
    *static_cast<std::byte*>(into) = std::byte{7};
    return 1;
  };
  const ScopedSyscalls scope(stingy);
  std::vector<std::byte> bytes(100);
  ASSERT_TRUE(fill_random(bytes));
  EXPECT_EQ(bytes, std::vector<std::byte>(100, std::byte{7}));
}

TEST(RandomTest, SaysWhenThereAreNoRandomBytes) {
  const test::RiggedSyscalls rig({.nth = 1, .sys = ENOSYS});
  std::array<std::byte, 16> bytes{};
  const Status s = fill_random(bytes);
  ASSERT_FALSE(s);
  EXPECT_EQ(s.error().code, Errc::operating_system);
  EXPECT_EQ(s.error().sys, ENOSYS);
}

}  // namespace
}  // namespace comch::os
