// Clock: CLOCK_MONOTONIC.
#include "os/clock.h"

#include "os/syscalls.h"

namespace comch::os {

std::uint64_t monotonic_ns() {
  timespec now = {};
  syscalls().clock_gettime(CLOCK_MONOTONIC, &now);  // Cannot fail: every Linux has this clock.
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace comch::os
