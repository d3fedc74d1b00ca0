// Clock: time that only goes forward.
//
// Threads: any.
#pragma once

#include <cstdint>

namespace comch::os {

// Nanoseconds since some moment before this machine's processes began; the same moment
// for all of them.
std::uint64_t monotonic_ns();

}  // namespace comch::os
