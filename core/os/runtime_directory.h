// Runtime directory: where servers leave the sockets by which clients find them.
//
// $COMCH_RUNTIME_DIR alone, when it is set. Otherwise servers use /run/comch where they
// may write to it (root makes it, mode 0755) and $XDG_RUNTIME_DIR/comch where not, and
// clients look into both, in that order. The variables are not believed in a
// set-user-id program.
//
// Threads: any, as long as nobody changes the environment meanwhile.
#pragma once

#include <vector>

#include "comch/result.h"
#include "os/fd.h"

namespace comch::os {

// The directory to serve in; created where it is missing.
// not_permitted: there is none that this user may write to. operating_system: see sys.
Result<Fd> runtime_directory_for_servers();

// The directories to look into, best first; those that do not exist, may not be read,
// or lie in the hands of a stranger (check_trusted) are left out. $COMCH_RUNTIME_DIR is
// the user's own choice and not asked about its owner.
// operating_system: one cannot be looked into now, for want of a descriptor or of memory.
Result<std::vector<Fd>> runtime_directories_for_clients();

}  // namespace comch::os
