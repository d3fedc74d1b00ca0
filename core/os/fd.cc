// Fd: closing.
#include "os/fd.h"

#include <cerrno>

#include "os/inherited.h"
#include "os/syscalls.h"

namespace comch::os {

int Fd::release() {
  keep_in_children(fd_);
  return std::exchange(fd_, -1);
}

void Fd::close_in_children() const { os::close_in_children(fd_); }

void Fd::reset(int fd) noexcept {
  const int held = std::exchange(fd_, fd);
  if (held < 0) return;
  keep_in_children(held);
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
