// Text: escaping for logs and for shells.
#include "base/text.h"

#include <fmt/format.h>

#include <iterator>

namespace comch {
namespace {

void append_escaped(std::string& out, char c) {
  switch (c) {
    case '\n':
      out += "\\n";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\\':
      out += "\\\\";
      return;
    default:
      break;
  }
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0x20 && byte < 0x7f) {
    out += c;
  } else {
    fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte);
  }
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

// By list, not by isalnum(): the locale has no say in what a shell leaves alone.
constexpr std::string_view kSafeInShell =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%_+=:,./-";

}  // namespace

std::string printable(std::string_view text, std::size_t bytes_max) {
  std::string out;
  for (const char c : text.substr(0, bytes_max)) append_escaped(out, c);
  if (text.size() > bytes_max) out += "...";
  return out;
}

std::string on_one_line(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (is_control(c)) {
      append_escaped(out, c);
    } else {
      out += c;
    }
  }
  return out;
}

std::string shell_quoted(std::string_view text) {
  text = text.substr(0, text.find('\0'));
  if (!text.empty() && text.find_first_not_of(kSafeInShell) == std::string_view::npos) {
    return std::string(text);
  }
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";  // Leave the quotes, one escaped quote, enter them again.
    } else {
      out += c;
    }
  }
  return out + "'";
}

}  // namespace comch
