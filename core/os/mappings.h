// Mappings: how many a process may have, by vm.max_map_count. Where there are no more even memory
// of its own is refused.
//
// Threads: any. Errors: none.
#pragma once

#include <cstdint>

namespace comch::os {

// As it is now; the kernel's usual 65,530 where it cannot be read.
std::uint64_t mappings_max();

}  // namespace comch::os
