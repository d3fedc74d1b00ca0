// Memory of another process: /proc/PID/fd, and pidfd_getfd(2) where that is not to be had.
#include "os/proc_fd.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <string>

#include "os/memory.h"
#include "os/syscalls.h"
#include "os/uninterrupted.h"

namespace comch::os {
namespace {

Error refusal(int sys) {
  switch (sys) {
    case ENOENT:
    case ESRCH:
    case EBADF:
      return {.code = Errc::not_found, .sys = sys, .what = "the process has no such descriptor"};
    case EACCES:
    case EPERM:
      return {.code = Errc::not_permitted,
              .sys = sys,
              .what = "the kernel does not let us look into that process"};
    default:
      return {.code = Errc::operating_system,
              .sys = sys,
              .what = "the process's descriptor cannot be opened"};
  }
}

int open_path(const std::string& path, int flags) {
  return uninterrupted(
      [&] { return syscalls().openat(AT_FDCWD, path.c_str(), flags | O_CLOEXEC, 0); });
}

// Through /proc: first only the place (O_PATH), which has no effect on what is there; the
// memory itself when it turned out to be some.
Result<Fd> open_through_proc(std::int32_t pid, std::int32_t fd, Window::Use use) {
  const Fd place(open_path(fmt::format("/proc/{}/fd/{}", pid, fd), O_PATH));
  if (!place) return std::unexpected(refusal(errno));
  if (const Result<std::uint64_t> size = memory_size(place); !size) {
    return std::unexpected(size.error());
  }
  const int flags = use == Window::kWrite ? O_RDWR : O_RDONLY;
  Fd memory(open_path(fmt::format("/proc/self/fd/{}", place.get()), flags));
  if (!memory) return std::unexpected(refusal(errno));
  return memory;
}

Result<Fd> take_descriptor(std::int32_t pid, std::int32_t fd) {
  const Fd process(syscalls().pidfd_open(pid, 0));
  if (!process) return std::unexpected(refusal(errno));
  Fd memory(syscalls().pidfd_getfd(process.get(), fd, 0));
  if (!memory) return std::unexpected(refusal(errno));
  if (const Result<std::uint64_t> size = memory_size(memory); !size) {
    return std::unexpected(size.error());
  }
  return memory;
}

}  // namespace

Result<Fd> open_memory_of(std::int32_t pid, std::int32_t fd, Window::Use use) {
  if (pid <= 0 || fd < 0) return fail(Errc::invalid_value, "no process has such a descriptor");
  Result<Fd> memory = open_through_proc(pid, fd, use);
  if (memory || memory.error().code == Errc::invalid_value) return memory;
  // /proc may be missing, or hide other users' processes.
  Result<Fd> taken = take_descriptor(pid, fd);
  if (!taken && taken.error().code == Errc::operating_system) return memory;
  return taken;
}

}  // namespace comch::os
