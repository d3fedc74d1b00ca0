// pause: tells the processor that this is a waiting loop, and for how long.
#pragma once

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

// A few nanoseconds, where a pause is 10 to 40: until what was asked for is there, and a little
// more. For who looks at a line that is written but once.
inline void short_pause() {
#if defined(__x86_64__)
  for (int n = 0; n < 2; ++n) __builtin_ia32_lfence();
#else
  pause();
#endif
}

}  // namespace comch
