// Passage: how the data of a message came to a consumer. Between machines there are the first
// three.
#pragma once

#include <cstddef>
#include <cstdint>

namespace comch::transport {

enum class Passage : std::uint8_t { kNone, kInline, kDirect, kStaged, kCooperative, kHandOver };
inline constexpr std::size_t kPassages = 6;

}  // namespace comch::transport
