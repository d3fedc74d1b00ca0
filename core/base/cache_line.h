// CacheLine: what processors move at a time. Two sides that write to one line slow each other down.
#pragma once

#include <cstddef>

namespace comch {

// The line of every x86-64 and of most Arm cores; where it is longer this is only less fast.
inline constexpr std::size_t kCacheLine = 64;

}  // namespace comch
