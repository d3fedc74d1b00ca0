// What the replaced operator new counts and fails.
#include "support/counting_allocator.h"

#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <vector>

namespace comch::test {
namespace {

struct alignas(256) Wide {
  char bytes[256];
};

// The compiler may leave out a new whose result nobody sees.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

TEST(CountingAllocatorTest, CountsEveryFormOfNewAndItsDelete) {
  const AllocationCount before = allocations();
  {
    const auto one = std::make_unique<int>(1);
    const auto many = std::make_unique<int[]>(100);
    const auto wide = std::make_unique<Wide>();
    const std::unique_ptr<int> quiet(new (std::nothrow) int(2));
    const std::unique_ptr<Wide[]> quiet_and_wide(new (std::nothrow) Wide[2]);
    keep(one), keep(many), keep(wide), keep(quiet), keep(quiet_and_wide);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(wide.get()) % alignof(Wide), 0U);
    EXPECT_EQ(allocations().made, before.made + 5);
  }
  const AllocationCount after = allocations();
  EXPECT_EQ(after.made, before.made + 5);
  EXPECT_EQ(after.freed, before.freed + 5);
}

TEST(CountingAllocatorTest, CountsNothingWhereNothingIsAllocated) {
  std::vector<int> numbers;
  numbers.reserve(100);
  const AllocationCount before = allocations();
  for (int i = 0; i < 100; ++i) numbers.push_back(i);
  keep(numbers);
  EXPECT_EQ(allocations(), before);
}

TEST(CountingAllocatorTest, FailsTheOneThatWasNamedAndNoOther) {
  EXPECT_FALSE(fail_allocation(2));
  const auto first = std::make_unique<int>(1);
  keep(first);
  EXPECT_THROW(keep(std::make_unique<int>(2)), std::bad_alloc);
  const auto third = std::make_unique<int>(3);
  keep(third);
  EXPECT_FALSE(fail_allocation(0)) << "the order was carried out";
}

TEST(CountingAllocatorTest, SaysThatAnOrderIsOutstandingOnceASweepIsThrough) {
  fail_allocation(1000);
  keep(std::make_unique<int>(1));
  EXPECT_TRUE(fail_allocation(0));
}

}  // namespace
}  // namespace comch::test
