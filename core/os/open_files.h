// Open files: how many descriptors this process may have.
//
// Threads: any. Errors: none.
#pragma once

#include <cstdint>

namespace comch::os {

// The limit as it is now (RLIMIT_NOFILE); a process may change it.
std::uint64_t open_files_max();

}  // namespace comch::os
