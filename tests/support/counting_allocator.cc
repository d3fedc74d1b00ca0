// The replaced operator new and delete of CountingAllocator. Each form
// counts once, whoever calls it.
#include "support/counting_allocator.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

constexpr std::size_t kPlain = alignof(std::max_align_t);

std::atomic<std::uint64_t> made{0};
std::atomic<std::uint64_t> freed{0};
std::atomic<std::uint64_t> countdown{0};

bool is_the_one_to_fail() {
  // Counters only; no edge is made or met.
  if (countdown.load(std::memory_order_relaxed) == 0) return false;
  return countdown.fetch_sub(1, std::memory_order_relaxed) == 1;
}

void* allocate(std::size_t size, std::size_t alignment) {
  if (is_the_one_to_fail()) throw std::bad_alloc();
  made.fetch_add(1, std::memory_order_relaxed);
  const std::size_t whole = (size + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, whole == 0 ? alignment : whole);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void release(void* memory) noexcept {
  if (memory == nullptr) return;
  freed.fetch_add(1, std::memory_order_relaxed);
  std::free(memory);
}

// The form that says no by a null pointer.
void* try_allocate(std::size_t size, std::size_t alignment) noexcept {
  try {
    return allocate(size, alignment);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

constexpr std::size_t bytes(std::align_val_t alignment) {
  return static_cast<std::size_t>(alignment);
}

}  // namespace

// Every form by name: a sanitizer's runtime brings its own of each that is left out.
// clang-format off
using Align = std::align_val_t;
using NoThrow = const std::nothrow_t&;
void* operator new(std::size_t size) { return allocate(size, kPlain); }
void* operator new[](std::size_t size) { return allocate(size, kPlain); }
void* operator new(std::size_t size, Align align) { return allocate(size, bytes(align)); }
void* operator new[](std::size_t size, Align align) { return allocate(size, bytes(align)); }
void* operator new(std::size_t size, NoThrow) noexcept { return try_allocate(size, kPlain); }
void* operator new[](std::size_t size, NoThrow) noexcept { return try_allocate(size, kPlain); }
void* operator new(std::size_t size, Align align, NoThrow) noexcept { return try_allocate(size, bytes(align)); }
void* operator new[](std::size_t size, Align align, NoThrow) noexcept { return try_allocate(size, bytes(align)); }
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, Align) noexcept { release(memory); }
void operator delete[](void* memory, Align) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, Align) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t, Align) noexcept { release(memory); }
void operator delete(void* memory, NoThrow) noexcept { release(memory); }
void operator delete[](void* memory, NoThrow) noexcept { release(memory); }
void operator delete(void* memory, Align, NoThrow) noexcept { release(memory); }
void operator delete[](void* memory, Align, NoThrow) noexcept { release(memory); }
// clang-format on

namespace comch::test {

AllocationCount allocations() {
  return {.made = made.load(std::memory_order_relaxed),
          .freed = freed.load(std::memory_order_relaxed)};
}

bool fail_allocation(std::uint64_t n) {
  return countdown.exchange(n, std::memory_order_relaxed) != 0;
}

}  // namespace comch::test
