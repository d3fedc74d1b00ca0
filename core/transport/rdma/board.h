// Board: where a consumer posts: memory at the machine that has the producers, which the consumer
// writes to from afar. Its descriptors are what producers may send; nothing else is a credit.
//
//   at 0     the consumer's bell: the episode of its sleep (bell.h)
//   at 64    descriptors of 16 bytes, posted_slots(depth) of them, used in a circle
//
//   word 0   offset of the room in the consumer's memory map (56); generation (8)
//   word 1   index (16); capacity (40); generation (8)
//
// From the lowest bit. An offset of all ones, with a capacity of 0: no buffer. The generation is
// the lap, counted from 1. There are twice as many slots as the consumer may have posted, so that
// a descriptor which nobody has taken is not written over (shm/posted_ring.h has the proof).
//
// Threads: pure functions of memory. Errors: see read_posted(). Tests: board_test.cc.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/checked.h"
#include "shm/posted_ring.h"
#include "transport/rdma/landing.h"

namespace comch::transport::rdma {

using comch::shm::Posted;
using comch::shm::posted_slots;

inline constexpr std::uint64_t kBoardSlots = 64;  // Where they begin.

constexpr std::uint64_t board_size(std::uint32_t depth) {
  return kBoardSlots + std::uint64_t{posted_slots(depth)} * comch::shm::kPostedSize;
}
// Of the descriptor at `position`, counted from 0 for ever, among `slots`: a power of two.
constexpr std::uint64_t board_offset(std::uint32_t position, std::uint32_t slots) {
  return kBoardSlots + std::uint64_t{position & (slots - 1)} * comch::shm::kPostedSize;
}

namespace detail {

constexpr std::uint64_t kOffsetMask = (std::uint64_t{1} << 56U) - 1;

constexpr std::uint64_t generation(std::uint32_t position, std::uint32_t slots) {
  return std::uint64_t{comch::shm::posted_generation(position, std::countr_zero(slots))} << 56U;
}

}  // namespace detail

// Writes a descriptor into memory of our own, from which it is sent.
inline void write_posted(std::byte* board, std::uint32_t position, std::uint32_t slots,
                         const Posted& posted) {
  const std::uint64_t generation = detail::generation(position, slots);
  const std::uint64_t first = (posted.offset & detail::kOffsetMask) | generation;
  const std::uint64_t second = posted.index | posted.capacity << 16U | generation;
  std::byte* const at = board + board_offset(position, slots);
  std::memcpy(at, &first, sizeof first);
  std::memcpy(at + sizeof first, &second, sizeof second);
}

enum class BoardLook : std::uint8_t { kNothing, kPosted, kBroken };

// Copies the descriptor at `position` out of memory that the consumer writes to. kNothing: it is
// not there, or not whole. kBroken: it names what is not in the consumer's memory map, or an index
// beyond its depth.
inline BoardLook read_posted(const std::byte* board, std::uint32_t position, std::uint32_t depth,
                             std::uint64_t map_size, Posted& posted) {
  const std::uint32_t slots = posted_slots(depth);
  const std::uint64_t generation = detail::generation(position, slots);
  const std::byte* const at = board + board_offset(position, slots);
  const std::uint64_t first = landed(at);
  const std::uint64_t second = landed(at + sizeof first);
  if ((first & ~detail::kOffsetMask) != generation || (second & ~detail::kOffsetMask) != generation)
    return BoardLook::kNothing;
  posted.offset = first & detail::kOffsetMask;
  posted.capacity = (second & detail::kOffsetMask) >> 16U;
  posted.index = static_cast<std::uint16_t>(second);
  const bool is_none = posted.offset == detail::kOffsetMask && posted.capacity == 0;
  if (is_none) posted.offset = comch::shm::kNoBuffer;
  const bool is_inside = contains(map_size, {posted.offset, posted.capacity});
  return posted.index < depth && (is_none || is_inside) ? BoardLook::kPosted : BoardLook::kBroken;
}

}  // namespace comch::transport::rdma
