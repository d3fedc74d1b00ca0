// Identity: who this process is to the kernel.
//
// Threads: any. Asked anew each time: a process may change its ids, and has another pid
// after fork().
#pragma once

#include <cstdint>

namespace comch::os {

std::uint32_t own_uid();  // Effective: what access checks go by.
std::uint32_t own_gid();
std::int32_t own_pid();

}  // namespace comch::os
