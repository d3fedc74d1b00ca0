// MountTable: what /proc/self/mountinfo says about one directory.
//
//   type_at(text, "/comch") == "fuse.comchfs"
//
// Threads: pure functions, but for read_mount_table().
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace comch::fuse {

inline constexpr std::string_view kOwnType = "fuse.comchfs";

// The type of the topmost mount on `directory`, an absolute path without links; nothing
// when nothing is mounted there.
std::optional<std::string> mount_type_at(std::string_view mountinfo, std::string_view directory);

std::string read_mount_table();

}  // namespace comch::fuse
