// Identity: who this process is.
#include "os/identity.h"

#include "os/syscalls.h"

namespace comch::os {

std::uint32_t own_uid() { return syscalls().geteuid(); }
std::uint32_t own_gid() { return syscalls().getegid(); }
std::int32_t own_pid() { return syscalls().getpid(); }

}  // namespace comch::os
