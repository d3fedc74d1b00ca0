// Copy: the routine by which a message is copied, chosen by how long the whole of it is.
//
// The C library's memcpy is best for messages of which several fit a processor's own cache; above
// that the string instruction is, which does not read what it overwrites, while the lines of that
// are with who has read the message before; and messages far above any cache leave it alone
// altogether. The limits are measured (core/ARCHITECTURE.md).
//
// Threads: pure functions. Errors: none; the ranges do not overlap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace comch {

inline constexpr std::uint64_t kStringCopy = std::uint64_t{512} << 10U;   // From here: rep movsb.
inline constexpr std::uint64_t kStreamingCopy = std::uint64_t{8} << 20U;  // Past the caches.

// Past the caches on the way in to memory.
enum class Stores : std::uint8_t { kNarrow, kWide };  // Of 16 bytes, or of 32 (AVX2).
Stores widest_stores();                               // That this processor has; no others may
                                                      // be asked of it.
void copy_streaming(std::byte* to, const std::byte* from, std::size_t size, Stores stores);

// For messages from kStringCopy on.
void copy_long(std::byte* to, const std::byte* from, std::size_t size, std::uint64_t message);

// Copies `size` bytes of a message that has `message` bytes in all.
inline void copy_part(std::byte* to, const std::byte* from, std::size_t size,
                      std::uint64_t message) {
  if (message < kStringCopy) [[likely]] {
    std::memcpy(to, from, size);
  } else {
    copy_long(to, from, size, message);
  }
}

}  // namespace comch
