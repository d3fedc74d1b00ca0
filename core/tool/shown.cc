// Shown: see shown.h.
#include "tool/shown.h"

#include <fmt/format.h>

#include <cstddef>
#include <iterator>

namespace comch::tool {
namespace {

// How many bytes of `text` are a control character: ASCII's, or one that UTF-8 says in two bytes.
std::size_t control_bytes(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  if (byte(0) < 0x20 || byte(0) == 0x7f) return 1;
  return byte(0) == 0xc2 && text.size() > 1 && byte(1) >= 0x80 && byte(1) < 0xa0 ? 2 : 0;
}

}  // namespace

std::string shown(std::string_view name) {
  std::string out;
  while (!name.empty()) {
    std::size_t bytes = control_bytes(name);
    for (const char c : name.substr(0, bytes)) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(c));
    }
    if (bytes == 0) {
      bytes = 1;
      if (name.front() == '\\') out += '\\';
      out += name.front();
    }
    name.remove_prefix(bytes);
  }
  return out;
}

}  // namespace comch::tool
