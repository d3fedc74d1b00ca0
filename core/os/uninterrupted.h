// Uninterrupted: a system call, made again when a signal came in between.
//
// A bound on the attempts keeps a storm of signals (or a test that says EINTR for ever)
// from holding a thread that has promised not to block.
#pragma once

#include <cerrno>

namespace comch::os {

inline constexpr int kInterruptionsMax = 16;  // Picked, not tuned: signals are rare.

// The result of `call`, which is -1 with errno EINTR only after kInterruptionsMax of them.
template <class Call>
auto uninterrupted(Call call) {
  auto result = call();
  for (int again = 1; result < 0 && errno == EINTR && again < kInterruptionsMax; ++again) {
    result = call();
  }
  return result;
}

}  // namespace comch::os
