// Reclaim: names whose owners were killed are taken out of a runtime directory.
//
//   reclaim_names(runtime);      // Some of them; the next call sees to more.
//
// A name is a directory of ours with a '+' in its name, and a lock in it that is ours, too, and
// empty (held_name.h): nothing else is touched. Whoever reclaims holds that lock shared, by which a
// server that takes the very name meanwhile tells him from another server, and waits for him
// (lock_file.h). A lock on the runtime directory lets one do so at a time; anybody may hold that
// one, and keeps nothing else from being done.
//
// Threads: any. Errors: none; what cannot be done now is left for another time.
#pragma once

#include <cstddef>

#include "os/fd.h"

namespace comch::os {

// What one call does at most; picked: it takes a millisecond.
inline constexpr std::size_t kNamesListed = 4096;
inline constexpr std::size_t kNamesExamined = 64;

void reclaim_names(const Fd& runtime);

}  // namespace comch::os
