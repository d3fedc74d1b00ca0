// CountingAllocator: how often this program asked for memory, to show that a data path
// does not.
//
//   const AllocationCount before = allocations();
//   for (int i = 0; i < 1'000'000; ++i) exchange_one();
//   EXPECT_EQ(allocations(), before);
//
// A program takes part by linking counting_allocator_dep, which replaces operator new and
// delete. fail_allocation(n) makes the n-th one from now throw std::bad_alloc, for sweeps
// over every allocation of a scenario.
//
// Threads: any; the counts are exact once the threads counted are joined.
#pragma once

#include <cstdint>
#include <ostream>

namespace comch::test {

struct AllocationCount {
  std::uint64_t made = 0;
  std::uint64_t freed = 0;

  friend bool operator==(const AllocationCount&, const AllocationCount&) = default;
  friend std::ostream& operator<<(std::ostream& out, const AllocationCount& count) {
    return out << count.made << " made, " << count.freed << " freed";
  }
};

AllocationCount allocations();

// The n-th allocation from now fails (1 is the next); 0 takes that back. Answers whether
// an earlier order is still outstanding: when it is, the sweep is through.
bool fail_allocation(std::uint64_t n);

}  // namespace comch::test
