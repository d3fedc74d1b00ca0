// Copy: see copy.h.
#include "base/copy.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// Sanitizers do not see what these routines touch, and both compilers say it in their own way.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COMCH_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define COMCH_SANITIZED 1
#endif
#endif
#if defined(__x86_64__) && !defined(COMCH_SANITIZED)
#define COMCH_STRING_COPY 1
#endif

namespace comch {
namespace {

#if defined(COMCH_STRING_COPY)

void copy_string(std::byte* to, const std::byte* from, std::size_t size) {
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}

// Past the caches on the way in to memory; the fence orders it before what publishes it, which
// ordinary stores do by themselves and these do not.
void copy_streaming(std::byte* to, const std::byte* from, std::size_t size) {
  constexpr std::size_t kLine = 64;
  const std::size_t skew = (kLine - reinterpret_cast<std::uintptr_t>(to) % kLine) % kLine;
  if (size < kLine + skew) {
    std::memcpy(to, from, size);
    return;
  }
  std::memcpy(to, from, skew);
  to += skew, from += skew, size -= skew;
  for (; size >= kLine; to += kLine, from += kLine, size -= kLine) {
    const auto* source = reinterpret_cast<const __m128i*>(from);
    auto* target = reinterpret_cast<__m128i*>(to);
    const __m128i a = _mm_loadu_si128(source);
    const __m128i b = _mm_loadu_si128(source + 1);
    const __m128i c = _mm_loadu_si128(source + 2);
    const __m128i d = _mm_loadu_si128(source + 3);
    _mm_stream_si128(target, a);
    _mm_stream_si128(target + 1, b);
    _mm_stream_si128(target + 2, c);
    _mm_stream_si128(target + 3, d);
  }
  std::memcpy(to, from, size);
  _mm_sfence();
}
#endif

}  // namespace

void copy_long(std::byte* to, const std::byte* from, std::size_t size, std::uint64_t message) {
#if defined(COMCH_STRING_COPY)
  if (message >= kStreamingCopy) return copy_streaming(to, from, size);
  return copy_string(to, from, size);
#else
  // On other machines, and where a sanitizer looks on.
  static_cast<void>(message);
  std::memcpy(to, from, size);
#endif
}

}  // namespace comch
