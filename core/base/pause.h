// pause: tells the processor that this is a waiting loop.
#pragma once

namespace comch {

inline void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");  // `yield` is a no-op on the cores that matter.
#endif
}

}  // namespace comch
