// Value: the text of an attribute file, between people and numbers.
//
//   trimmed("64\n") == "64"     parse_number("64") == 64     join_ids({1, 2}) == "1 2"
//
// Writing accepts one optional newline at the end; reading shows the canonical form
// and a newline (attribute.h adds it).
//
// Threads: pure functions of their arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "comch/server.h"

namespace comch::fuse {

// `text` without one newline at its end.
std::string_view trimmed(std::string_view text);

// `text` on one line: a newline, which a name may have, becomes \n.
std::string on_one_line(std::string_view text);

// A decimal number at most `limit`, or nothing: no sign, no space, nothing behind it.
std::optional<std::uint64_t> parse_number(std::string_view text, std::uint64_t limit);

// Whether `text` is a decimal number, however large.
bool is_decimal(std::string_view text);

// Permission bits in octal, "0750" or "750"; nothing above 0777.
std::optional<std::uint32_t> parse_mode(std::string_view text);

// Bytes as two hexadecimal digits each; nothing when it is something else.
std::optional<std::vector<std::byte>> parse_hex(std::string_view text);
std::string show_hex(std::span<const std::byte> bytes);

// Ids between spaces or commas; nothing when one of them is no id.
std::optional<std::vector<std::uint32_t>> parse_ids(std::string_view text);
std::string join_ids(const std::vector<std::uint32_t>& ids);

// allow_uid and allow_gid: ids, or "*" for everyone.
enum class AccessPart : std::uint8_t { kUids, kGids };
std::string show_access(const AccessList& access, AccessPart part);
std::optional<AccessList> with_access(const AccessList& access, AccessPart part,
                                      std::string_view text);

}  // namespace comch::fuse
