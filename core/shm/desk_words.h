// DeskWords: what a desk (desk.h) answers, and its position's word.
//
//   position word   position (32)  high (16)  seat (11)  count (5)     the last refill
//
// Threads: values. Errors: none.
#pragma once

#include <cstdint>

namespace comch::shm {

inline constexpr std::uint32_t kMaxSeats = 1024;

enum class Attach : std::uint8_t {
  kAttached,
  kAgain,   // The sole producer was in a take; ask again.
  kFull,    // Every seat is taken.
  kBroken,  // The consumer posted what does not exist.
};

// What a producer found that takes by the run.
enum class RunTake : std::uint8_t {
  kDone,      // As many as it wanted.
  kNothing,   // Less, for no more is posted, or the desk is broken.
  kOther,     // Less; the run says too little of the next, which is there: use_alone().
  kSiblings,  // It does not have the desk for itself: take().
};

// What a producer that has the desk for itself takes next.
struct DeskNext {
  std::uint16_t index = 0;
  std::uint64_t room = 0;  // None: it is not known.
};

using SeatId = std::uint32_t;

inline std::uint32_t position_of(std::uint64_t word) {
  return static_cast<std::uint32_t>(word >> 32U);
}
inline std::uint16_t high_of(std::uint64_t word) { return static_cast<std::uint16_t>(word >> 16U); }
inline constexpr std::uint32_t kMostCounted = 0x1f;
inline SeatId seat_of(std::uint64_t word) { return word >> 5U & 0x7ffU; }
inline std::uint32_t count_of(std::uint64_t word) { return word & kMostCounted; }
static_assert(kMaxSeats <= 0x800);
inline std::uint64_t position_word(std::uint32_t position, std::uint16_t high, SeatId seat,
                                   std::uint32_t count) {
  return std::uint64_t{position} << 32U | std::uint64_t{high} << 16U | seat << 5U | count;
}

}  // namespace comch::shm
