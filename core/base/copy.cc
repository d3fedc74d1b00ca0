// Copy: see copy.h.
#include "base/copy.h"

#include <algorithm>

#include "base/cache_line.h"

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

#if defined(COMCH_STRING_COPY)
namespace {

void copy_string(std::byte* to, const std::byte* from, std::size_t size) {
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}

// Whole lines, to a line's beginning.
using Stream = void (*)(std::byte* to, const std::byte* from, std::size_t lines);

void stream_narrow(std::byte* to, const std::byte* from, std::size_t lines) {
  for (; lines != 0; --lines, to += kCacheLine, from += kCacheLine) {
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
}

[[gnu::target("avx2")]] void stream_wide(std::byte* to, const std::byte* from, std::size_t lines) {
  for (; lines != 0; --lines, to += kCacheLine, from += kCacheLine) {
    const auto* source = reinterpret_cast<const __m256i*>(from);
    auto* target = reinterpret_cast<__m256i*>(to);
    const __m256i a = _mm256_loadu_si256(source);
    const __m256i b = _mm256_loadu_si256(source + 1);
    _mm256_stream_si256(target, a);
    _mm256_stream_si256(target + 1, b);
  }
}

// The fence orders it before what publishes it, which ordinary stores do by themselves and these
// do not.
void copy_streaming(std::byte* to, const std::byte* from, std::size_t size, Stream stream) {
  const std::size_t skew =
      (kCacheLine - reinterpret_cast<std::uintptr_t>(to) % kCacheLine) % kCacheLine;
  if (size < kCacheLine + skew) {
    std::memcpy(to, from, size);
    return;
  }
  std::memcpy(to, from, skew);
  const std::size_t lines = (size - skew) / kCacheLine;
  stream(to + skew, from + skew, lines);
  const std::size_t done = skew + lines * kCacheLine;
  std::memcpy(to + done, from + done, size - done);
  _mm_sfence();
}

}  // namespace

void copy_by(Copying how, std::byte* to, const std::byte* from, std::size_t size) {
  switch (how) {
    case Copying::kMemcpy:
      std::memcpy(to, from, size);
      return;
    case Copying::kString:
      return copy_string(to, from, size);
    case Copying::kNarrowStream:
      return copy_streaming(to, from, size, stream_narrow);
    case Copying::kWideStream:
      return copy_streaming(to, from, size, stream_wide);
  }
}
#else
// On other machines, and where a sanitizer looks on.

void copy_by(Copying /*how*/, std::byte* to, const std::byte* from, std::size_t size) {
  std::memcpy(to, from, size);
}
#endif

Copying best_copying(std::uint64_t message, const Processor& processor) {
  if (message < kLongCopy) return Copying::kMemcpy;
  const std::uint64_t cached = processor.last_cache == 0
                                   ? kMostCached
                                   : std::clamp(processor.last_cache / 2, kLongCopy, kMostCached);
  if (message >= cached) {
    return processor.wide_stores ? Copying::kWideStream : Copying::kNarrowStream;
  }
  return processor.fast_string_copy ? Copying::kString : Copying::kMemcpy;
}

}  // namespace comch
