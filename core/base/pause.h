// pause: tells the processor that this is a waiting loop, and for how long.
#pragma once

#include <cstdint>

namespace comch {

inline void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");  // `yield` is a no-op on the cores that matter.
#endif
}

inline void pause(int times) {
  for (; times != 0; --times) pause();
}

// Until what was asked for is there, and a little more: the least that a processor can be made to
// wait.
inline void shortest_pause() {
#if defined(__x86_64__)
  __builtin_ia32_lfence();
#else
  pause();
#endif
}

// A few nanoseconds, where a pause is 10 to 40. For who looks at a line that is written but once.
inline void short_pause() {
  shortest_pause();
#if defined(__x86_64__)
  shortest_pause();
#endif
}

// Waits until what this thread has stored is in the cache, and so for the lines of it, where the
// processor can be made to; for its time alone, for nothing is ordered by it. With a fence
// instead a round trip takes 10 to 20 ns more.
inline void drain_stores() {
#if defined(__x86_64__)
  // A load of what two stores have written is not answered before both are in the cache, and they
  // go there behind all before them.
  alignas(8) std::uint32_t halves[2] = {};
  std::uint64_t whole = 0;
  asm volatile(
      "movl $0, (%1)\n\t"
      "movl $0, 4(%1)\n\t"
      "movq (%1), %0\n\t"
      "lfence"
      : "=r"(whole)
      : "r"(halves)
      : "memory");
#endif
}

}  // namespace comch
