// Processor time: what a thread or a process has used, its own and the kernel's for it. A test of
// "it sleeps" takes it before and after.
//
// Threads: any. Errors: a test failure; the answer is 0 then.
#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>

namespace comch::test {

// `whose`: RUSAGE_THREAD, the caller's, or RUSAGE_SELF.
inline std::chrono::microseconds processor_time(int whose) {
  rusage used{};
  EXPECT_EQ(::getrusage(whose, &used), 0);
  const auto of = [](const timeval& t) {
    return std::chrono::seconds(t.tv_sec) + std::chrono::microseconds(t.tv_usec);
  };
  return of(used.ru_utime) + of(used.ru_stime);
}

}  // namespace comch::test
