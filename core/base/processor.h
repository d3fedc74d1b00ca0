// Processor: what this machine's processors say of themselves, as far as a copy asks.
//
// Threads: any. Lifetime: of the process. Errors: none; what is not said is false, or 0.
#pragma once

#include <cstdint>

namespace comch {

struct Processor {
  bool fast_string_copy = false;  // rep movsb is made for long copies (ERMS).
  bool wide_stores = false;       // Stores of 32 bytes (AVX2).
  std::uint64_t last_cache = 0;   // Bytes of the last level, as far as one core reaches.
};

const Processor& this_processor();

}  // namespace comch
