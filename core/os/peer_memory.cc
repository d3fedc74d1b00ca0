// PeerMemory: process_vm_writev(2).
#include "os/peer_memory.h"

#include <sys/uio.h>

#include <cerrno>

#include "os/identity.h"
#include "os/syscalls.h"
#include "os/uninterrupted.h"

namespace comch::os {

pid_t writable_peer(std::uint32_t uid, pid_t pid) { return uid == own_uid() ? pid : 0; }

Result<std::size_t> write_peer(pid_t pid, std::uint64_t address, std::span<const std::byte> bytes) {
  if (bytes.empty()) return fail(Errc::invalid_value, "there is nothing to write");
  if (pid == 0) return fail(Errc::not_permitted, "another user's memory is not written", EPERM);
  // The call only reads from `local`, whose type knows no const.
  const iovec local{const_cast<std::byte*>(bytes.data()), bytes.size()};  // NOLINT
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of another process.
  const iovec remote{reinterpret_cast<void*>(address), bytes.size()};
  const ssize_t written =
      uninterrupted([&] { return syscalls().process_vm_writev(pid, &local, 1, &remote, 1, 0); });
  if (written > 0) return static_cast<std::size_t>(written);
  switch (errno) {
    case EPERM:
      return fail(Errc::not_permitted, "the kernel does not let us write to the peer", EPERM);
    case ESRCH:
      return fail(Errc::connection_reset, "the peer's process is gone", ESRCH);
    case EFAULT:
      return fail(Errc::invalid_value, "the peer has no memory there", EFAULT);
    default:
      return fail(Errc::operating_system, "the peer's memory cannot be written", errno);
  }
}

}  // namespace comch::os
