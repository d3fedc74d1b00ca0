// Units: figures as people read and write them.
//
//   parse_size("64K")         65536
//   size_text(65536)          "64 KiB"
//   duration_text(4210)       "4.21 us"
//   rate_text(12.3e6)         "12.3 M"
//   bytes_text(9.87e9)        "9.87 GB"
//
// Threads: free functions without state.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace comch::tool {

inline constexpr std::size_t kKib = 1024;
inline constexpr std::size_t kMib = kKib * kKib;

// A number of bytes, with K, M, KiB or MiB behind it for 1024 and 1024 * 1024 of them; nothing
// when `text` is none, or does not fit.
std::optional<std::size_t> parse_size(std::string_view text);

// In the largest of these units that divides it.
std::string size_text(std::size_t bytes);
// The others have three digits that count.
std::string duration_text(double ns);
std::string rate_text(double per_second);
std::string bytes_text(double bytes);

}  // namespace comch::tool
