// Copy routines: memcpy, rep movsb, and non-temporal stores.
#include "bench/limits/copy_routine.h"

#include "base/copy.h"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace comch::bench {

void copy_by_memcpy(std::byte* to, const std::byte* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}

#if defined(__x86_64__)

void copy_by_string_move(std::byte* to, const std::byte* from, std::size_t bytes) {
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

void copy_past_cache(std::byte* to, const std::byte* from, std::size_t bytes) {
  constexpr std::size_t kLine = 64;
  constexpr std::size_t kAhead = 32 * kLine;  // Picked; the hardware's own fetching does less.
  std::size_t at = 0;
  for (; at + kLine <= bytes; at += kLine) {
    _mm_prefetch(from + at + kAhead, _MM_HINT_T0);
    for (std::size_t i = 0; i < kLine; i += sizeof(__m128i)) {
      const __m128i value = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at + i));
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + at + i), value);
    }
  }
  std::memcpy(to + at, from + at, bytes - at);
  _mm_sfence();  // Such stores are ordered by nothing else.
}

#else

void copy_by_string_move(std::byte* to, const std::byte* from, std::size_t bytes) {
  copy_by_memcpy(to, from, bytes);
}
void copy_past_cache(std::byte* to, const std::byte* from, std::size_t bytes) {
  copy_by_memcpy(to, from, bytes);
}

#endif

CopyRoutine best_copy(std::size_t bytes) {
  switch (best_copying(bytes)) {
    case Copying::kMemcpy:
      return copy_by_memcpy;
    case Copying::kString:
      return copy_by_string_move;
    case Copying::kNarrowStream:
    case Copying::kWideStream:
      break;
  }
  return copy_past_cache;
}

}  // namespace comch::bench
