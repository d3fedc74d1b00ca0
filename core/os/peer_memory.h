// PeerMemory: writing into another process's memory through the kernel (process_vm_writev).
//
// Threads: any.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "comch/result.h"

namespace comch::os {

// Copies the bytes to `address` of the process; answers how many went, at least one.
// not_permitted: the kernel does not let this process do that (the ptrace rules). connection_reset:
// there is no such process. invalid_value: the address is not its memory, or there are no
// bytes. operating_system: see sys.
Result<std::size_t> write_peer(pid_t pid, std::uint64_t address, std::span<const std::byte> bytes);

}  // namespace comch::os
