// LaneRecord: one message, as it lies in a lane: memory at the consumer's machine, which one
// producer at a time writes to from afar.
//
//   at 0     the producer's bell: the episode of its sleep (bell.h)
//   at 64    slots; message n lies in slot n modulo their number
//
//   word 0   sequence: n + 1 (32); sum (32)
//   word 1   index of the posted buffer that it uses up (16); kind (16); producer (32)
//   word 2   length of the data (48); of the immediate data (16)
//   then     the immediate data, and with kInline the data, each padded with zeros to 8 bytes
//
// From the lowest bit. A record is one write, and is there when its sequence is the expected one
// and the sum of all its words is right. Data that is not in the record is in the posted
// buffer before it.
//
// There are no fewer slots than the consumer may post buffers, so that who holds a posted buffer
// knows that its slot is free (shm/lane.h has the argument).
//
// Threads: pure functions of memory. Errors: none; read_record() answers what no correct producer
// says as it stands. Tests: lane_record_test.cc.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "transport/rdma/landing.h"

namespace comch::transport::rdma {

enum class LaneKind : std::uint16_t {
  kInline = 1,  // The data, which may be none, is in the record.
  kDirect = 2,  // It is in the posted buffer.
};

struct LaneRecord {
  std::uint16_t index = 0;
  LaneKind kind = LaneKind::kInline;
  std::uint32_t producer = 0;
  std::uint64_t length = 0;
  std::uint32_t immediate = 0;  // Bytes of it.
};

inline constexpr std::uint64_t kLaneSlots = 64;  // Where they begin.
inline constexpr std::uint32_t kRecordHeader = 24;
inline constexpr std::uint64_t kMaxLength = (std::uint64_t{1} << 48U) - 1;

constexpr std::uint32_t padded(std::uint64_t bytes) {
  return static_cast<std::uint32_t>((bytes + 7) & ~std::uint64_t{7});
}

// Both sides compute it from the consumer's terms.
struct LaneShape {
  std::uint32_t slots = 0;  // A power of two.
  std::uint32_t slot_size = 0;

  static constexpr LaneShape of(std::uint32_t depth, std::uint32_t immediate_max) {
    // Room for 64 bytes of data beside the most immediate data, in whole lines.
    const std::uint32_t size = (kRecordHeader + padded(immediate_max) + 64 + 63) & ~63U;
    return {std::bit_ceil(std::max(depth, 2U)), std::max(size, 128U)};
  }
  constexpr std::uint64_t size() const { return kLaneSlots + std::uint64_t{slots} * slot_size; }
  constexpr std::uint64_t offset(std::uint32_t position) const {
    return kLaneSlots + std::uint64_t{position & (slots - 1)} * slot_size;
  }
  // Whether such a message can travel in its record.
  constexpr bool holds(std::uint64_t length, std::uint64_t immediate) const {
    const std::uint32_t room = slot_size - kRecordHeader;
    return immediate <= room && length <= room - padded(immediate);
  }
};
static_assert(LaneShape::of(64, 32).slot_size == 128 && LaneShape::of(64, 256).slot_size == 384);

namespace detail {

inline std::uint64_t mix(std::uint64_t sum, std::uint64_t word) {
  return std::rotl(sum ^ word, 29) * 0x9e3779b97f4a7c15;
}
constexpr std::uint32_t fold(std::uint64_t sum) {
  return static_cast<std::uint32_t>(sum ^ (sum >> 32U));
}
inline void put_word(std::byte* at, std::uint64_t word) { std::memcpy(at, &word, sizeof word); }
// Copies the bytes and the zeros behind them; answers where they end.
inline std::byte* put_padded(std::byte* at, std::span<const std::byte> bytes) {
  if (bytes.empty()) return at;
  const std::uint32_t size = padded(bytes.size());
  put_word(at + size - 8, 0);
  std::memcpy(at, bytes.data(), bytes.size());
  return at + size;
}

}  // namespace detail

// Writes the record of message `position` into memory of our own, from which it is sent; answers
// its size. `data`: of kInline.
inline std::uint32_t write_record(std::byte* slot, std::uint32_t position, const LaneRecord& record,
                                  std::span<const std::byte> immediate,
                                  std::span<const std::byte> data) {
  assert(record.length <= kMaxLength && record.immediate == immediate.size());
  using namespace detail;
  put_word(slot + 8, record.index | std::uint64_t{static_cast<std::uint16_t>(record.kind)} << 16U |
                         std::uint64_t{record.producer} << 32U);
  put_word(slot + 16, record.length | std::uint64_t{record.immediate} << 48U);
  const std::byte* const end = put_padded(put_padded(slot + kRecordHeader, immediate), data);
  const std::uint32_t sequence = position + 1;
  std::uint64_t sum = sequence;
  for (const std::byte* at = slot + 8; at != end; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    sum = mix(sum, word);
  }
  put_word(slot, sequence | std::uint64_t{fold(sum)} << 32U);
  return static_cast<std::uint32_t>(end - slot);
}

// Bytes behind the header that a record of this sort has, or more than any slot.
constexpr std::uint64_t body_of(const LaneRecord& record) {
  return padded(record.immediate) +
         (record.kind == LaneKind::kInline ? (record.length + 7) & ~std::uint64_t{7} : 0);
}

// The record of message `position` in memory that the producer writes to. False: it is not there,
// or not whole.
inline bool read_record(const std::byte* slot, std::uint32_t slot_size, std::uint32_t position,
                        LaneRecord& record) {
  const std::uint64_t head = landed(slot);
  if (static_cast<std::uint32_t>(head) != position + 1) return false;
  const std::uint64_t first = landed(slot + 8);
  const std::uint64_t second = landed(slot + 16);
  record.index = static_cast<std::uint16_t>(first);
  record.kind = static_cast<LaneKind>(static_cast<std::uint16_t>(first >> 16U));
  record.producer = static_cast<std::uint32_t>(first >> 32U);
  record.length = second & kMaxLength;
  record.immediate = static_cast<std::uint32_t>(second >> 48U);
  const std::uint64_t body = body_of(record);
  if (body > slot_size - kRecordHeader) return false;
  std::uint64_t sum = detail::mix(detail::mix(position + 1, first), second);
  for (std::uint64_t at = kRecordHeader; at != kRecordHeader + body; at += 8) {
    sum = detail::mix(sum, landed(slot + at));
  }
  return detail::fold(sum) == head >> 32U;
}

}  // namespace comch::transport::rdma
