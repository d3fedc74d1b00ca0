// Text as a message.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace comch::test {

// A view of `text`.
inline std::span<const std::byte> bytes(std::string_view text) {
  return std::as_bytes(std::span(text));
}

}  // namespace comch::test
