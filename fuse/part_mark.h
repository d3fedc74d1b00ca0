// PartMark: what the immediate data says of a message that is one part of a longer one.
//
// A `put` that is longer than the buffers its consumer has posted travels as several
// messages, its parts, each with a mark in front of its immediate data:
//
//   "comchfs+" + the producer's `imm`    the first part
//   "comchfs+"                           more follow
//   "comchfs."                           the last
//   "comchfs!"                           no more will come; what came is not the whole
//
// The parts of one put follow each other without another message of that producer between
// them. `get` and `recv` of a consumer put them together again; a program that uses the
// library, and `recv.framed`, see the parts and their marks.
//
// Threads: pure functions of their arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace comch::fuse {

enum class PartMark : char { kMore = '+', kLast = '.', kCutShort = '!' };

inline constexpr std::size_t kPartMarkSize = 8;

// The mark in front of `immediate`; nothing: the message is a whole one.
std::optional<PartMark> part_mark_of(std::span<const std::byte> immediate);

// Whether whoever sends this as immediate data would be taken for a put.
bool looks_like_a_mark(std::span<const std::byte> immediate);

std::vector<std::byte> with_part_mark(PartMark mark, std::span<const std::byte> immediate);

}  // namespace comch::fuse
