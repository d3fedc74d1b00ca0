// LogSetup: where the daemon's lines go, and how many of them.
//
// In the foreground to standard error, with the prefixes journald understands when that
// is where it leads; in the background to syslog(3), which journald reads, too. Errors
// and warnings only, until --log-level, COMCH_LOG or `log LEVEL` to the mount's ctl.
//
// Threads: before any other thread is made.
#pragma once

#include "arguments.h"

namespace comch::fuse {

void set_up_log(const Arguments& arguments);

// To be called when standard error is about to be closed.
void move_log_to_background(const Arguments& arguments);

}  // namespace comch::fuse
