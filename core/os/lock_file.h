// Lock file: a name that one living process at a time can hold.
//
// The kernel frees the lock when its holder dies, however it dies, so a name whose lock
// can be taken has no owner and whatever else lies under it is stale.
//
//   Result<Fd> lock = lock_at(directory, "lock");   // already_exist: somebody has it
//   ... the name is ours while *lock is open ...
//   unlink_at(directory, "lock");                    // Only while holding it.
//
// Threads: any; two callers in one process exclude each other like two processes.
// Lifetime: the lock is held until every copy of the descriptor is closed, also one that
// a fork() without exec() made; see inherited.h.
#pragma once

#include "comch/result.h"
#include "os/fd.h"

namespace comch::os {

// Takes the lock `name`, creating its file (mode 0600) where it is missing. Who shares it
// (share_lock_at()) is waited for, but a stopped process no longer than a fifth of a second.
// already_exist: somebody alive holds it. not_permitted: the file is another user's, or
// no regular file. operating_system: see sys.
Result<Fd> lock_at(const Fd& directory, const char* name);

// Keeps others from taking the lock `name`, for a moment: to remove what a dead holder left.
// already_exist: somebody alive holds it. not_found: there is none. not_permitted: the file is
// another user's, or not an empty regular file. operating_system: see sys.
Result<Fd> share_lock_at(const Fd& directory, const char* name);

}  // namespace comch::os
