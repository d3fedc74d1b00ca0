// Futex: wakes who waits for a word in memory that several processes share.
//
//   word.raise();  os::wake_all(word.address());
//
// It never waits, whatever the other side does to the word, and where nobody waits it does nothing.
//
// Threads: any. Errors: none.
#pragma once

namespace comch::os {

void wake_all(const void* word);

}  // namespace comch::os
