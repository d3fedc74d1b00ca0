// FailingSends: as long as it lives sendmsg() fails so many times, or each time.
//
// Threads: one, and no two at a time.
#pragma once

#include <cerrno>
#include <limits>

#include "os/syscalls.h"

namespace comch::test {

class FailingSends {
 public:
  explicit FailingSends(int sys, int times = std::numeric_limits<int>::max())
      : scope_((start(sys, times), table())) {}

  static int failed() { return failed_; }

 private:
  static void start(int sys, int times) {
    sys_ = sys;
    left_ = times;
    failed_ = 0;
  }
  static const os::Syscalls& table() {
    static const os::Syscalls failing = [] {
      os::Syscalls made = os::kKernel;
      made.sendmsg = [](int fd, const msghdr* message, int flags) {
        if (left_ == 0) return os::kKernel.sendmsg(fd, message, flags);
        --left_;
        ++failed_;
        errno = sys_;
        return ssize_t{-1};
      };
      return made;
    }();
    return failing;
  }

  static inline int sys_ = 0;
  static inline int left_ = 0;
  static inline int failed_ = 0;

  os::ScopedSyscalls scope_;
};

}  // namespace comch::test
