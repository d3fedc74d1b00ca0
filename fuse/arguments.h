// Arguments: the command line, in the daemon's own form and in that of a mount helper.
//
//   comchfs [OPTIONS] [SOURCE] MOUNTPOINT [-o OPTION,...]
//   mount.comch SOURCE MOUNTPOINT [-sfnv] [-o OPTION,...]      called by mount(8)
//
// -f is the one letter that the two read differently: here it means foreground, there
// (util-linux) that nothing is to be done.
//
// Threads: pure, but for --help and --version, which print.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "comch/log.h"
#include "mount_options.h"

namespace comch::fuse {

// As mount(8) documents them.
enum class ExitCode : int { kSuccess = 0, kUsage = 1, kSystem = 2, kMountFailed = 32 };

enum class LogTarget { kAutomatic, kStderr, kJournal };

struct Arguments {
  std::string source = "comch";
  std::string mount_point;
  MountOptions mount;
  bool foreground = false;
  bool fake = false;  // Everything but the mount itself.
  std::optional<LogLevel> log_level;
  LogTarget log_target = LogTarget::kAutomatic;
};

// The exit code instead, when there is nothing more to do or the line is wrong; it has
// been said on standard output or error.
std::variant<Arguments, ExitCode> parse_arguments(int count, char** words);

}  // namespace comch::fuse
