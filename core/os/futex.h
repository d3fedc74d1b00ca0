// Futex: wakes who waits for a word in memory that several processes share.
//
//   word.raise();  os::wake_all(word.address());
//
// It never waits, whatever the other side does to the word, and where nobody waits it does nothing.
// A sleeper waits once in each of its rings. Of a peer that waits without end no more than
// kWaitsMax are woken, for each costs the waker time.
//
// Threads: any. Errors: none.
#pragma once

namespace comch::os {

inline constexpr int kWaitsMax = 64;  // Picked.

void wake_all(const void* word);

}  // namespace comch::os
