// WakeWord: a word of memory that whoever has news changes, and wakes who waits for it, as
// futex(2) does: cheaper than a packet, and nothing that a peer could hang.
//
// Threads: a value. Lifetime: the word is there as long as nothing runs on the engine that named
// it; what the kernel waits for by then is harmless.
#pragma once

#include <cstdint>

namespace comch {

struct WakeWord {
  const std::uint32_t* word = nullptr;
  std::uint32_t value = 0;   // Wait while it is this.
  std::uint64_t source = 0;  // Whose it is; no two are of one number, so long as the engine lives.
};

}  // namespace comch
