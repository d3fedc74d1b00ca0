// Prefetch: asks for memory that is read or written soon, so that its lines are here when it is.
//
// What another core has read must come back before it can be written, and the stores of a copy wait
// for that one after the other. Asked for early, the lines come together, behind other work. Only
// the first ones pay: of the rest the processor sees by itself that they are next
// (core/ARCHITECTURE.md).
//
// Threads: pure functions. Errors: none; where there is nothing nothing happens.
#pragma once

#include <cstddef>

#include "base/cache_line.h"

namespace comch {

inline constexpr std::size_t kWrittenAhead = 512;  // Bytes: eight lines.

inline void prefetch(const std::byte* at) { __builtin_prefetch(at); }

inline void prefetch_for_write(const std::byte* at) {
#if defined(__x86_64__)
  // The compilers' own is a prefetch for reading, unless they are told of newer processors. Those
  // that do not know this one take it for a no-op.
  asm volatile("prefetchw %0" : : "m"(*at));
#else
  __builtin_prefetch(at, 1);
#endif
}

// The first lines of `size` bytes, if there are so many; fewer are not worth it.
inline void prefetch_for_write(const std::byte* to, std::size_t size) {
  if (size < kWrittenAhead) return;
  for (std::size_t at = 0; at < kWrittenAhead; at += kCacheLine) prefetch_for_write(to + at);
}

}  // namespace comch
