// Fd: closing.
#include "os/fd.h"

#include <cerrno>

#include "os/syscalls.h"

namespace comch::os {

void Fd::reset(int fd) noexcept {
  const int held = std::exchange(fd_, fd);
  if (held < 0) return;
  const int before = errno;
  // Not repeated when interrupted: Linux has freed the number by then, and another
  // thread may have it already.
  syscalls().close(held);
  errno = before;
}

Status set_nonblocking(int fd) {
  if (syscalls().set_nonblocking(fd) == 0) return {};
  return fail(Errc::operating_system, "the descriptor does not take O_NONBLOCK", errno);
}

}  // namespace comch::os
