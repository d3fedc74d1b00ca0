// MountOptions: what stands behind -o, as mount(8), fstab and people write it.
//
//   auto options = parse_mount_options("rw,nosuid,side=dpu,noautostart");
//   if (!options) return usage(options.error());     // "unknown option 'sdie=dpu'"
//
// Words that mount(8) passes on from fstab and that say nothing to us (defaults, _netdev,
// user, x-systemd...) are accepted; words that nobody knows are errors, because a
// mistyped option that is silently ignored is found out much later.
//
// Threads: pure functions of their arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace comch::fuse {

enum class SideShown { kHost, kDpu, kBoth };

// Of this machine; picked: four users are needed to take all of it.
std::uint64_t quarter_of_memory();

struct MountOptions {
  SideShown side = SideShown::kBoth;
  bool autostart = true;
  // On unless refused; `allow_other_asked` tells a user who insists from our default,
  // which an unprivileged mount may have to do without.
  bool allow_other = true;
  bool allow_other_asked = false;
  // Objects of one user other than root, at a time; picked: some thousand descriptors.
  std::size_t user_objects = 1024;
  // Bytes of buffers that consumers of one user other than root have posted, at a time.
  std::uint64_t user_memory = quarter_of_memory();
  std::string source;               // fsname=, when it was given here.
  std::vector<std::string> kernel;  // Handed to the kernel: "ro", "noexec", ...

  bool shows_servers() const { return side != SideShown::kHost; }
  bool shows_clients() const { return side != SideShown::kDpu; }
};

// Adds the comma separated words of `list` to `options`. The error is a sentence for
// people. `sloppy` is mount(8)'s -s: unknown words are passed over.
std::expected<void, std::string> parse_mount_options(std::string_view list, bool sloppy,
                                                     MountOptions& options);

}  // namespace comch::fuse
