// SlotPayload: how what a message carries is written into its slot of a lane (lane_slot.h).
//
//   write_data<Machine>(slots, at, data);              // Data alone, behind the two words.
//   write_payload<Machine>(slots, at, 16, immediate);  // Anything, wherever it lies.
//   ...                                                // Behind it the words, which expose it.
//
// What lies in the slot's second line goes first. The reader looks at the first line: stores to it
// that have others between them, which wait for the second, leave it time to take that line before
// the last of them is there, and the words wait for it once more (core/ARCHITECTURE.md).
//
// Threads: the writer's. Errors: none; the caller knows that it fits.
#pragma once

#include <cstddef>
#include <span>

#include "base/cache_line.h"
#include "shm/fast_machine.h"
#include "shm/lane_slot.h"

namespace comch::shm {

// `begin`: from that of the slot, which is at `at`; a multiple of 8. Not inline: what it takes is
// no concern of those that messages of the usual sizes pass.
template <class Machine>
[[gnu::noinline]] void write_payload(typename Machine::Data slots, std::size_t at,
                                     std::size_t begin, std::span<const std::byte> bytes) {
  const std::size_t first = begin < kCacheLine ? kCacheLine - begin : 0;
  if (bytes.size() > first) {
    copy_words_in<Machine>(slots, at + begin + first, bytes.data() + first, bytes.size() - first);
    RealMachine::light_fence();  // A matter of speed: no edge, on no machine.
    bytes = bytes.first(first);
  }
  copy_words_in<Machine>(slots, at + begin, bytes.data(), bytes.size());
}

// The same of data alone: of the sizes that small messages mostly have, without a call.
template <class Machine>
[[gnu::always_inline]] inline void write_data(typename Machine::Data slots, std::size_t at,
                                              std::span<const std::byte> data) {
  constexpr std::size_t kFirst = kCacheLine - kPlainDataAt;
  if (data.size() == 64) [[likely]] {
    copy_vectors_in<64 - kFirst, Machine>(slots, at + kCacheLine, data.data() + kFirst);
    RealMachine::light_fence();
    copy_vectors_in<kFirst, Machine>(slots, at + kPlainDataAt, data.data());
  } else if (copies_at_once(data.size())) {
    copy_plain_in<Machine>(slots, at + kPlainDataAt, data.data(), data.size());
  } else {
    write_payload<Machine>(slots, at, kPlainDataAt, data);
  }
}

}  // namespace comch::shm
