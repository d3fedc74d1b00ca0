// SyscallCounter: how many system calls the calling thread makes from now on, counted by the
// kernel and not by those who promise to make none.
//
//   SyscallCounter counter;
//   ... messages ...
//   counter.looks();     // epoll_wait and its kin
//   counter.others();
//
// A seccomp filter reports every call to a second thread, which counts it and lets it go on.
// Each call becomes slower, so count and time in different runs.
//
// Threads: counts the thread that made it, for the rest of that thread's life; one per process.
// Errors: std::system_error where the kernel has no such filter or this process may not set one.
#pragma once

#include <cstdint>

namespace comch::bench {

class SyscallCounter {
 public:
  SyscallCounter();
  SyscallCounter(const SyscallCounter&) = delete;
  SyscallCounter& operator=(const SyscallCounter&) = delete;

  std::uint64_t looks() const;   // The engine's question whether a descriptor is ready.
  std::uint64_t others() const;  // Everything else.
};

}  // namespace comch::bench
