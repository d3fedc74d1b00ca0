// NoMemory: a function of the C API with each of its allocations failing in turn: it says so, has
// done nothing, and can be called again.
//
// Threads: the test's. Errors: they fail the test.
#pragma once

#include <doca_error.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>

#include "support/counting_allocator.h"

namespace comch::test {

inline constexpr std::uint64_t kMost =
    1000;  // Allocations of one call: more are a loop without end.

// `make` answers as the function does; `unmake` is called when it has made something.
inline void sweep(const char* function, const std::function<doca_error_t()>& make,
                  const std::function<void()>& unmake) {
  std::uint64_t failed = 0;
  for (; failed < kMost; ++failed) {
    fail_allocation(failed + 1);
    const doca_error_t answer = make();
    const bool is_through = fail_allocation(0);
    if (answer == DOCA_SUCCESS) unmake();
    EXPECT_EQ(answer, is_through ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY)
        << function << ", allocation " << failed + 1;
    if (is_through) break;
  }
  EXPECT_GT(failed, 0U) << function << " allocates nothing";
  EXPECT_LT(failed, kMost) << function;
}

// The same of an object that is made at the end of the arguments, and destroyed.
template <class Object>
void sweep(const char* function, const std::function<doca_error_t(Object**)>& create,
           doca_error_t (*destroy)(Object*)) {
  Object* made = nullptr;
  sweep(
      function,
      [&] {
        made = nullptr;
        const doca_error_t answer = create(&made);
        EXPECT_EQ(made != nullptr, answer == DOCA_SUCCESS) << function;
        return answer;
      },
      [&] { EXPECT_EQ(destroy(made), DOCA_SUCCESS); });
}

}  // namespace comch::test
