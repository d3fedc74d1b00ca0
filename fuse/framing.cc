// Frames; see framing.h.
#include "framing.h"

#include <fmt/format.h>

namespace comch::fuse {
namespace {

constexpr std::size_t kMaxDigits = 10;  // Leading zeros are allowed, but not without end.

}  // namespace

Frame next_frame(std::span<const std::byte> input, std::size_t max_message_size) {
  std::size_t length = 0;
  std::size_t digits = 0;
  while (digits < input.size() && input[digits] != std::byte{'\n'}) {
    const auto digit = static_cast<unsigned char>(input[digits]);
    if (digit < '0' || digit > '9' || digits == kMaxDigits) return {Frame::Kind::kMalformed, 0, {}};
    length = length * 10 + (digit - '0');
    ++digits;
  }
  if (digits == input.size()) return {Frame::Kind::kIncomplete, 1, {}};  // At least the newline.
  if (digits == 0) return {Frame::Kind::kMalformed, 0, {}};
  if (length > max_message_size) return {Frame::Kind::kTooLong, 0, {}};
  const std::span body = input.subspan(digits + 1);
  if (body.size() < length) return {Frame::Kind::kIncomplete, length - body.size(), {}};
  return {Frame::Kind::kWhole, digits + 1 + length, body.first(length)};
}

std::string frame_header(std::string_view connection, std::size_t message_size) {
  if (connection.empty()) return fmt::format("{}\n", message_size);
  return fmt::format("{} {}\n", connection, message_size);
}

}  // namespace comch::fuse
