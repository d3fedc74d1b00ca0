// pause: tells the processor that this is a waiting loop, and for how long; and how a poll waits,
// once.
#pragma once

namespace comch {

inline void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");  // `yield` is a no-op on the cores that matter.
#endif
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

// What `look` finds: when that is nothing, it looks once more behind a pause. Who polls in a loop
// leaves a writer its line to write in, and looks again as soon as that is over: of all that an
// empty call takes, what comes in meanwhile has waited longest then.
template <class Look>
auto look_twice(Look&& look) {
  auto found = look();
  if (!found) {
    pause();
    found = look();
  }
  return found;
}

}  // namespace comch
