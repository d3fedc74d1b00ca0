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

// Whose memory a peer may name to write_peer(), by the kernel's word on who connected: its own if
// it is of our user. A pid is a number that another process may have by now, be it that of a
// program with more rights that the peer has become; one that is only our user's can be made
// nothing of that our user cannot do to it. 0: nobody's.
pid_t writable_peer(std::uint32_t uid, pid_t pid);

// Copies the bytes to `address` of the process; answers how many went, at least one.
// not_permitted: the kernel does not let this process do that (the ptrace rules), or `pid` is
// nobody's. connection_reset: there is no such process. invalid_value: the address is not its
// memory, or there are no bytes. operating_system: see sys.
Result<std::size_t> write_peer(pid_t pid, std::uint64_t address, std::span<const std::byte> bytes);

}  // namespace comch::os
