// /proc/self/mountinfo; see mount_table.h.
#include "mount_table.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <vector>

namespace comch::fuse {
namespace {

// Spaces, tabs, newlines and backslashes stand there as three octal digits.
std::string unescaped(std::string_view field) {
  std::string text;
  while (!field.empty()) {
    unsigned code = 0;
    if (field.front() == '\\' && field.size() >= 4 &&
        std::from_chars(&field[1], &field[1] + 3, code, 8).ptr == &field[1] + 3) {
      text += static_cast<char>(code);
      field.remove_prefix(4);
    } else {
      text += field.front();
      field.remove_prefix(1);
    }
  }
  return text;
}

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  while (!line.empty()) {
    const std::size_t space = std::min(line.find(' '), line.size());
    fields.push_back(line.substr(0, space));
    line.remove_prefix(std::min(space + 1, line.size()));
  }
  return fields;
}

}  // namespace

std::optional<std::string> mount_type_at(std::string_view mountinfo, std::string_view directory) {
  constexpr std::size_t kMountPoint = 4;
  std::optional<std::string> type;
  while (!mountinfo.empty()) {
    const std::size_t end = std::min(mountinfo.find('\n'), mountinfo.size());
    const auto fields = fields_of(mountinfo.substr(0, end));
    mountinfo.remove_prefix(std::min(end + 1, mountinfo.size()));
    // Optional fields end with "-", and the type follows. Later lines lie on top.
    const auto dash = std::ranges::find(fields, std::string_view("-"));
    if (fields.size() <= kMountPoint || fields.end() - dash < 2) continue;
    if (unescaped(fields[kMountPoint]) == directory) type = std::string(dash[1]);
  }
  return type;
}

std::string read_mount_table() {
  std::ifstream file("/proc/self/mountinfo");
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace comch::fuse
