// Processor: see processor.h. The leaves of CPUID are those of Intel's and AMD's manuals.
#include "base/processor.h"

#include <algorithm>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace comch {
namespace {

#if defined(__x86_64__)

struct Registers {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
};

// All zero where there is no such leaf.
Registers cpuid(unsigned leaf, unsigned subleaf) {
  Registers out;
  if (__get_cpuid_count(leaf, subleaf, &out.eax, &out.ebx, &out.ecx, &out.edx) == 0) return {};
  return out;
}

// The largest of the caches that a leaf lists, one in each subleaf.
std::uint64_t largest_cache(unsigned leaf) {
  constexpr unsigned kMostCaches = 8;
  constexpr unsigned kInstructions = 2;
  std::uint64_t largest = 0;
  for (unsigned n = 0; n < kMostCaches; ++n) {
    const Registers cache = cpuid(leaf, n);
    const unsigned type = cache.eax & 0x1fU;
    if (type == 0) break;
    if (type == kInstructions) continue;
    const std::uint64_t ways = (cache.ebx >> 22U) + 1;
    const std::uint64_t partitions = (cache.ebx >> 12U & 0x3ffU) + 1;
    const std::uint64_t line = (cache.ebx & 0xfffU) + 1;
    const std::uint64_t sets = std::uint64_t{cache.ecx} + 1;
    const std::uint64_t size = ways * partitions * line * sets;
    largest = std::max(largest, size);
  }
  return largest;
}

Processor ask() {
  constexpr unsigned kExtendedFeatures = 7;
  constexpr unsigned kErms = 1U << 9U;
  constexpr unsigned kCaches = 4;
  constexpr unsigned kCachesOfAmd = 0x8000001d;
  const std::uint64_t cache = largest_cache(kCaches);
  return {.fast_string_copy = (cpuid(kExtendedFeatures, 0).ebx & kErms) != 0,
          .wide_stores = __builtin_cpu_supports("avx2") != 0,
          .last_cache = cache != 0 ? cache : largest_cache(kCachesOfAmd)};
}

#else

Processor ask() { return {}; }

#endif

}  // namespace

const Processor& this_processor() {
  static const Processor processor = ask();
  return processor;
}

}  // namespace comch
