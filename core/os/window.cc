// Window: mmap(2) of a part of a file.
#include "os/window.h"

#include <sys/mman.h>

#include <cerrno>
#include <limits>
#include <optional>

#include "os/syscalls.h"

namespace comch::os {
namespace {

Errc code_of(int sys) {
  switch (sys) {
    case EACCES:
    case EPERM:
      return Errc::not_permitted;
    case EINVAL:  // The offset; huge pages want one of theirs.
      return Errc::invalid_value;
    case ENOMEM:
      return Errc::no_memory;
    default:
      return Errc::operating_system;
  }
}

}  // namespace

Result<Window> Window::map(const Fd& fd, Range range, Use use) {
  const std::optional<std::size_t> length = checked_narrow<std::size_t>(range.length);
  if (range.length == 0 || !length ||
      !contains(static_cast<std::uint64_t>(std::numeric_limits<off_t>::max()), range)) {
    return fail(Errc::invalid_value, "memory of this size or offset cannot be mapped");
  }
  const int protection = use == kWrite ? PROT_READ | PROT_WRITE : PROT_READ;
  void* at = syscalls().mmap(nullptr, *length, protection, MAP_SHARED, fd.get(),
                             static_cast<off_t>(range.offset));
  if (at == MAP_FAILED) return fail(code_of(errno), "the memory cannot be mapped", errno);
  return Window(std::span(static_cast<std::byte*>(at), *length));
}

}  // namespace comch::os
