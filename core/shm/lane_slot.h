// LaneSlot: how the 128 bytes of a lane's slot are divided; what writer and reader (lane.h)
// must agree on.
//
//   kind          word 2                    word 3           from byte 16, or 32 behind words
//   kImmediate                                               immediate data (112)
//   kInline                                                  immediate data, data (112 together)
//   kDirect                                                  immediate data (112)
//   kStaged(Next) offset in bounce area     bytes there      immediate data (96)
//   kJob          map (32), shift (32)      offset in map    immediate data (80); words 14, 15:
//                                                            claim and done of chunk_job.h
//   kHandOver     map (32), handle (32)     offset in map    immediate data (96)
//   kReading      file (32), shift (32)     offset in file   as kJob
//   kRow                                                     data from byte 64 (64)
//
// Immediate data begins at a multiple of 8, and so does inline data behind it, so that both are 112
// bytes with the immediate data rounded up. Immediate data that does not fit lies in the side area,
// which a lane has when it may be that long.
//
// A row is several messages of one length, data alone: the first one's slot says how many, and each
// one's data lies in its own slot, of which nothing else is written. So a message of 64 bytes is
// one line for the other side to fetch, and not two.
//
// Threads: values. Errors: none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "shm/fast_machine.h"
#include "shm/untrusted.h"

namespace comch::shm {

inline constexpr std::uint32_t kLaneSlot = 128;     // Bytes.
inline constexpr std::uint32_t kLanePayload = 112;  // Of which the payload.
inline constexpr std::uint32_t kClaimAt = 112;      // A job's two words.
inline constexpr std::uint32_t kRowDataAt = 64;     // Of a message of a row,
inline constexpr std::uint32_t kRowPayload = 64;    // which has no more.
inline constexpr std::uint64_t kMaxLaneLength = (std::uint64_t{1} << 48U) - 1;
inline constexpr std::uint32_t kMaxImmediate = 256;

// Immediate data up to here finds room in a slot of every kind but the inline one.
inline constexpr std::uint32_t kAlwaysInSlot = 80;

enum class LaneKind : std::uint16_t {
  kImmediate = 1,
  kInline = 2,
  kDirect = 3,
  kStaged = 4,
  kStagedNext = 5,
  kJob = 6,
  kHandOver = 7,
  kRow = 8,
  kReading = 9,
};

// Whether words 2 and 3 say something.
constexpr bool has_control(LaneKind kind) {
  return (kind >= LaneKind::kStaged && kind <= LaneKind::kHandOver) || kind == LaneKind::kReading;
}

// Whether both sides bring the message, chunk by chunk.
constexpr bool is_job(LaneKind kind) {
  return kind == LaneKind::kJob || kind == LaneKind::kReading;
}

// The numbers of a lane; both sides compute them (fast_layout.h).
struct LaneShape {
  std::uint32_t slots = 0;            // A power of two.
  std::uint32_t immediate_max = 0;    // The consumer's.
  std::uint32_t side_stride = 0;      // Bytes of the side area for each slot; 0: none.
  std::uint64_t bounce_size = 0;      // Bytes; 0: none.
  std::uint32_t indexes = 1U << 16U;  // Of posted buffers, from 0 on; a power of two.
  bool head_credit = false;           // A posted buffer is not enough to write a slot.

  friend bool operator==(const LaneShape&, const LaneShape&) = default;
};

// What a message says of itself: a checked copy.
struct LaneRecord {
  std::uint64_t length = 0;
  std::array<std::uint64_t, 2> control{};
  std::uint32_t immediate = 0;  // Bytes of immediate data; as a row begins, its messages.
  std::uint16_t index = 0;      // Of the posted buffer.
  LaneKind kind{};

  // Staged: the chunk in the bounce area.
  [[nodiscard]] Range chunk() const { return {control[0], control[1]}; }
  // Job and hand-over: where the message lies. Reading: the same of a file.
  [[nodiscard]] std::uint32_t map() const { return static_cast<std::uint32_t>(control[0]); }
  [[nodiscard]] Range source() const { return {control[1], length}; }
  [[nodiscard]] std::uint32_t shift() const {
    return static_cast<std::uint32_t>(control[0] >> 32U);
  }
  [[nodiscard]] std::uint32_t handle() const { return shift(); }

  friend bool operator==(const LaneRecord&, const LaneRecord&) = default;
};

constexpr std::uint64_t lane_word(std::uint32_t sequence, std::uint16_t index, LaneKind kind) {
  return sequence | std::uint64_t{index} << 32U |
         std::uint64_t{static_cast<std::uint16_t>(kind)} << 48U;
}

// Where the payload of a slot lies, from the slot's beginning.
struct LaneSplit {
  std::uint32_t immediate_at;
  std::uint32_t data_at;
  bool in_side;  // The immediate data is not in the slot.
};

constexpr LaneSplit split_slot(LaneKind kind, std::uint64_t length, std::uint64_t immediate) {
  if (kind == LaneKind::kRow) return {kRowDataAt, kRowDataAt, false};
  const bool is_inline = kind == LaneKind::kInline;
  const std::uint32_t begin = has_control(kind) ? 32 : 16;
  const std::uint32_t end = is_job(kind) ? kClaimAt : kLaneSlot;
  const std::uint64_t in_front = whole_words(immediate);
  const bool in_side = in_front + (is_inline ? length : 0) > end - begin;
  return {begin, begin + (in_side ? 0U : static_cast<std::uint32_t>(in_front)), in_side};
}

// Of inline data without immediate data.
inline constexpr std::uint32_t kPlainDataAt = split_slot(LaneKind::kInline, 0, 0).data_at;

// Whether data and immediate data can travel in the slot (and its side area).
constexpr bool fits_inline(const LaneShape& shape, std::uint64_t length, std::uint64_t immediate) {
  return whole_words(immediate) + length <= kLanePayload ||
         (shape.side_stride != 0 && length <= kLanePayload);
}

}  // namespace comch::shm
