// The -o list; see mount_options.h.
#include "mount_options.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <limits>

#include "value.h"

namespace comch::fuse {
namespace {

// For mount(8), systemd or libmount, not for us; or what a mount of ours always is.
constexpr std::array kForOthers{
    "defaults", "auto",  "noauto",   "nofail", "_netdev", "user",   "nouser",
    "users",    "owner", "group",    "rw",     "dev",     "suid",   "exec",
    "async",    "atime", "diratime", "loud",   "silent",  "nomand", "default_permissions",
    "relatime"};

// Flags the kernel keeps per mount. nosuid and nodev are always set by libfuse.
constexpr std::array kForKernel{"ro",      "nodev",      "nosuid", "noexec",
                                "noatime", "nodiratime", "sync",   "dirsync"};

bool contains(const auto& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

std::expected<void, std::string> parse_side(std::string_view value, MountOptions& options) {
  if (value == "host") {
    options.side = SideShown::kHost;
  } else if (value == "dpu") {
    options.side = SideShown::kDpu;
  } else if (value == "both") {
    options.side = SideShown::kBoth;
  } else {
    return std::unexpected("side= is host, dpu or both, not '" + std::string(value) + "'");
  }
  return {};
}

std::expected<void, std::string> parse_user_objects(std::string_view value, MountOptions& options) {
  const auto number = parse_number(value, 1'000'000);
  if (!number)
    return std::unexpected("user_objects= is a number, not '" + std::string(value) + "'");
  options.user_objects = *number;
  return {};
}

// "512M": bytes, or as many times 2^10, 2^20 or 2^30.
std::expected<void, std::string> parse_user_memory(std::string_view value, MountOptions& options) {
  constexpr std::string_view kUnits = "KMG";
  const std::size_t unit = value.empty() ? kUnits.npos : kUnits.find(value.back());
  const std::size_t shift = unit == kUnits.npos ? 0 : 10 * (unit + 1);
  const std::string_view digits = value.substr(0, value.size() - (shift == 0 ? 0 : 1));
  const auto number = parse_number(digits, std::numeric_limits<std::uint64_t>::max() >> shift);
  if (!number) {
    return std::unexpected("user_memory= is a number of bytes, or one with K, M or G, not '" +
                           std::string(value) + "'");
  }
  options.user_memory = *number << shift;
  return {};
}

// True when `word` was one of ours without a value.
bool parse_switch(std::string_view word, MountOptions& options) {
  if (word == "autostart" || word == "noautostart") {
    options.autostart = word == "autostart";
  } else if (word == "allow_other") {
    options.allow_other = options.allow_other_asked = true;
  } else if (word == "noallow_other") {
    options.allow_other = options.allow_other_asked = false;
  } else {
    return false;
  }
  return true;
}

std::expected<void, std::string> parse_word(std::string_view word, bool sloppy,
                                            MountOptions& options) {
  if (word.empty() || contains(kForOthers, word) || parse_switch(word, options)) return {};
  for (const std::string_view prefix : {"x-", "X-", "comment=", "user=", "helper="}) {
    if (word.starts_with(prefix)) return {};
  }
  if (word.starts_with("subtype=")) return {};  // Ours is always comchfs.
  if (word.starts_with("side=")) return parse_side(word.substr(5), options);
  if (word.starts_with("user_objects=")) return parse_user_objects(word.substr(13), options);
  if (word.starts_with("user_memory=")) return parse_user_memory(word.substr(12), options);
  if (word.starts_with("fsname=")) {
    options.source = word.substr(7);
    return {};
  }
  if (contains(kForKernel, word)) {
    options.kernel.emplace_back(word);
    return {};
  }
  if (word == "remount")
    return std::unexpected("no option of a mount can be changed; umount first");
  if (sloppy) return {};
  return std::unexpected("unknown option '" + std::string(word) + "'");
}

}  // namespace

std::uint64_t quarter_of_memory() {
  const auto pages = static_cast<std::uint64_t>(std::max(::sysconf(_SC_PHYS_PAGES), 0L));
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) / 4;
}

std::expected<void, std::string> parse_mount_options(std::string_view list, bool sloppy,
                                                     MountOptions& options) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    auto parsed = parse_word(list.substr(0, comma), sloppy, options);
    if (!parsed) return parsed;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return {};
}

}  // namespace comch::fuse
