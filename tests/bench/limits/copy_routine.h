// Copy routines: how bytes get from one place to another, and which way is best for how many.
//
// Which is best is what comch goes by (base/copy.h), so that a bare ring copies no worse; what a
// machine prefers is seen in the "copy" cells.
//
// Threads: pure functions. Errors: none; where a processor has no such instruction, its
// routine is memcpy, and kHasCopyInstructions is false.
#pragma once

#include <cstddef>
#include <cstring>

#include "bench/peers/workload.h"

namespace comch::bench {

#if defined(__x86_64__)
inline constexpr bool kHasCopyInstructions = true;
#else
inline constexpr bool kHasCopyInstructions = false;
#endif

using CopyRoutine = void (*)(std::byte* to, const std::byte* from, std::size_t bytes);

void copy_by_memcpy(std::byte* to, const std::byte* from, std::size_t bytes);
// rep movsb: the processor's own loop.
void copy_by_string_move(std::byte* to, const std::byte* from, std::size_t bytes);
// Non-temporal stores, of whole lines; `to` lies at the start of one.
void copy_past_cache(std::byte* to, const std::byte* from, std::size_t bytes);

// For messages of so many bytes, of which one caller may copy a part.
CopyRoutine best_copy(std::size_t bytes);

}  // namespace comch::bench
