// pause: tells the processor that this is a waiting loop; and how a poll waits, once.
#pragma once

namespace comch {

inline void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");  // `yield` is a no-op on the cores that matter.
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
