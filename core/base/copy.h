// Copy: the routine by which a message is copied, chosen by how long the whole of it is and by what
// the processor is good at.
//
// The C library's memcpy is best for messages of which several fit a processor's own cache. Above
// that the string instruction is, where the processor has a fast one: it does not read what it
// overwrites, while the lines of that are with who has read the message before. Messages that leave
// no room for another in the last cache go past it. The limits are measured (core/ARCHITECTURE.md).
//
// Threads: pure functions. Errors: none; the ranges do not overlap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/processor.h"

namespace comch {

// Below the one memcpy is best for every processor, and from the other on past the caches.
inline constexpr std::uint64_t kLongCopy = std::uint64_t{512} << 10U;
inline constexpr std::uint64_t kMostCached = std::uint64_t{8} << 20U;

enum class Copying : std::uint8_t {
  kMemcpy,
  kString,        // rep movsb.
  kNarrowStream,  // Past the caches, by stores of 16 bytes,
  kWideStream,    // or of 32. No processor may be asked for it that has none (wide_stores).
};

// The best for a message of so many bytes.
Copying best_copying(std::uint64_t message, const Processor& processor = this_processor());
void copy_by(Copying how, std::byte* to, const std::byte* from, std::size_t size);

// Copies `size` bytes of a message that has `message` bytes in all.
inline void copy_part(std::byte* to, const std::byte* from, std::size_t size,
                      std::uint64_t message) {
  if (message < kLongCopy) [[likely]] {
    std::memcpy(to, from, size);
  } else {
    copy_by(best_copying(message), to, from, size);
  }
}

}  // namespace comch
