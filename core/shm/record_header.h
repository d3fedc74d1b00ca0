// RecordHeader: the word in front of each record of a control ring, and what a record takes.
//
//   +--------+------+----------+
//   | length | kind | 0 (24)   |    bits 0..31, 32..39, 40..63
//   +--------+------+----------+
//   | length | stamp's lower | kind | stamp's upper |    a stamped message: 16, 16, 8, 24 bits
//   +--------+---------------+------+---------------+
//
// Threads: pure functions. Tests: record_header_test.cc; FORMAT.md has the bytes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace comch::shm {

// What the third field of a header says.
inline constexpr std::uint64_t kRecordMessage = 1;
inline constexpr std::uint64_t kRecordPadding = 2;
inline constexpr std::uint64_t kRecordStamped = 3;  // A message.
inline constexpr std::uint32_t kRecordHeader = 8;   // Bytes.

constexpr std::uint64_t record_header(std::uint64_t kind, std::uint32_t length) {
  return kind << 32 | length;
}

// Of a message of at most 65,535 bytes, with a stamp of 40 bits.
constexpr std::uint64_t stamped_header(std::uint64_t stamp, std::uint32_t length) {
  return (stamp >> 16) << 40 | (stamp & 0xffff) << 16 | record_header(kRecordStamped, length);
}
constexpr std::uint64_t stamp_in(std::uint64_t header) {
  return (header >> 40) << 16 | (header >> 16 & 0xffff);
}
static_assert(stamp_in(stamped_header(0x12'3456'789a, 0xffff)) == 0x12'3456'789a);

// The bytes that a message of `size` takes in the ring.
constexpr std::uint32_t record_stride(std::uint32_t size) {
  return kRecordHeader + ((size + 7U) & ~7U);
}

// The bytes of a ring for `queue` messages of up to `max_message` bytes: the next power of
// two, but at most 1 MiB unless two messages need more, and at least a page.
constexpr std::uint32_t ring_capacity(std::uint32_t max_message, std::uint32_t queue) {
  const std::uint64_t stride = record_stride(max_message);
  const std::uint64_t wanted = std::min<std::uint64_t>(queue * stride + kRecordHeader, 1U << 20U);
  const std::uint64_t least = std::max<std::uint64_t>(2 * stride + 16, 4096);
  return static_cast<std::uint32_t>(std::bit_ceil(std::max(wanted, least)));
}
static_assert(ring_capacity(4080, 64) == 256U << 10U);
static_assert(ring_capacity(65535, 8192) == 1U << 20U);

}  // namespace comch::shm
