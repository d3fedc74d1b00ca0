// Attribute values; see value.h.
#include "value.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <limits>
#include <memory>

namespace comch::fuse {

std::string_view trimmed(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

std::string on_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) line += c == '\n' ? std::string_view("\\n") : std::string_view(&c, 1);
  return line;
}

std::optional<std::uint64_t> parse_number(std::string_view text, std::uint64_t limit) {
  std::uint64_t number = 0;
  const char* end = std::to_address(text.end());
  const auto [stop, error] = std::from_chars(std::to_address(text.begin()), end, number);
  if (error != std::errc{} || stop != end || number > limit) return std::nullopt;
  return number;
}

bool is_decimal(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::optional<std::uint32_t> parse_mode(std::string_view text) {
  std::uint32_t mode = 0;
  const char* end = std::to_address(text.end());
  const auto [stop, error] = std::from_chars(std::to_address(text.begin()), end, mode, 8);
  if (error != std::errc{} || stop != end || mode > 0777) return std::nullopt;
  return mode;
}

std::optional<std::vector<std::byte>> parse_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::vector<std::byte> bytes;
  for (; !text.empty(); text.remove_prefix(2)) {
    std::uint8_t byte = 0;
    const std::string_view pair = text.substr(0, 2);
    const char* end = std::to_address(pair.end());
    const auto [stop, error] = std::from_chars(std::to_address(pair.begin()), end, byte, 16);
    if (error != std::errc{} || stop != end) return std::nullopt;
    bytes.push_back(static_cast<std::byte>(byte));
  }
  return bytes;
}

std::string show_hex(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte one : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(one));
  return text;
}

std::optional<std::vector<std::uint32_t>> parse_ids(std::string_view text) {
  // The largest id stands for "no id" in every system call.
  constexpr std::uint64_t kLargestId = std::numeric_limits<std::uint32_t>::max() - 1;
  std::vector<std::uint32_t> ids;
  while (true) {
    const std::size_t begin = text.find_first_not_of(" ,\t\n");
    if (begin == text.npos) return ids;
    const std::size_t end = std::min(text.find_first_of(" ,\t\n", begin), text.size());
    const auto id = parse_number(text.substr(begin, end - begin), kLargestId);
    if (!id) return std::nullopt;
    ids.push_back(static_cast<std::uint32_t>(*id));
    text.remove_prefix(end);
  }
}

std::string join_ids(const std::vector<std::uint32_t>& ids) {
  return fmt::format("{}", fmt::join(ids, " "));
}

std::string show_access(const AccessList& access, AccessPart part) {
  if (access.everyone) return "*";
  return join_ids(part == AccessPart::kUids ? access.uids : access.gids);
}

std::optional<AccessList> with_access(const AccessList& access, AccessPart part,
                                      std::string_view text) {
  AccessList changed = access;
  changed.everyone = text == "*";
  if (changed.everyone) return changed;
  auto ids = parse_ids(text);
  if (!ids) return std::nullopt;
  (part == AccessPart::kUids ? changed.uids : changed.gids) = std::move(*ids);
  return changed;
}

}  // namespace comch::fuse
