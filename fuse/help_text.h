// The texts of the daemon for people: the file README of the mount, version, --help.
#pragma once

#include <string>

namespace comch::fuse {

std::string help_text();     // The mount's README.
std::string version_text();  // "comchfs 1.0 abi 1"

}  // namespace comch::fuse
