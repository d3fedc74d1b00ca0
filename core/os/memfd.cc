// Memfd: making, checking and mapping shared memory.
#include "os/memfd.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <cerrno>
#include <limits>

#include "base/checked.h"
#include "os/syscalls.h"
#include "os/uninterrupted.h"

namespace comch::os {

Result<Fd> make_sealed_memfd(const char* name, std::uint64_t size) {
  if (size == 0 || size > static_cast<std::uint64_t>(std::numeric_limits<off_t>::max())) {
    return fail(Errc::invalid_value, "memory cannot have this size");
  }
  Fd fd(syscalls().memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd) return fail(Errc::operating_system, "no shared memory can be made", errno);
  if (uninterrupted([&] { return syscalls().ftruncate(fd.get(), static_cast<off_t>(size)); }) < 0) {
    return fail(Errc::operating_system, "shared memory cannot have this size", errno);
  }
  if (syscalls().add_seals(fd.get(), kSizeSeals) < 0) {
    return fail(Errc::operating_system, "shared memory cannot be sealed", errno);
  }
  return fd;
}

Result<std::uint64_t> sealed_size(const Fd& fd) {
  // The seals come first: only a memfd has any, and asking for them asks no file system,
  // which may be the peer's own and in no hurry to answer.
  const int seals = syscalls().get_seals(fd.get());
  if (seals < 0 && errno != EINVAL) {  // EINVAL: it is nothing that could be sealed.
    return fail(Errc::operating_system, "the peer's memory cannot be examined", errno);
  }
  if (seals < 0 || (seals & kSizeSeals) != kSizeSeals) {
    return fail(Errc::connection_reset, "the peer's memory could change its size");
  }
  struct statfs file_system = {};
  if (uninterrupted([&] { return syscalls().fstatfs(fd.get(), &file_system); }) < 0) {
    return fail(Errc::operating_system, "the peer's memory cannot be examined", errno);
  }
  struct stat file = {};
  if (syscalls().fstat(fd.get(), &file) < 0) {
    return fail(Errc::operating_system, "the peer's memory cannot be examined", errno);
  }
  // A huge page can be missing when it is touched.
  if (file_system.f_type != TMPFS_MAGIC || !S_ISREG(file.st_mode)) {
    return fail(Errc::connection_reset, "the peer's memory is no memfd of ordinary pages");
  }
  return static_cast<std::uint64_t>(file.st_size);
}

Result<Mapping> Mapping::map(const Fd& fd, std::uint64_t size) {
  if (size == 0) return fail(Errc::invalid_value, "no memory cannot be mapped");
  const std::optional<std::size_t> length = checked_narrow<std::size_t>(size);
  if (!length) return fail(Errc::invalid_value, "the address space is too small for this memory");
  void* at = syscalls().mmap(nullptr, *length, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (at == MAP_FAILED) {
    // EACCES and EPERM: the descriptor or a seal keeps it read-only.
    const bool read_only = errno == EACCES || errno == EPERM;
    return fail(read_only ? Errc::not_permitted : Errc::operating_system,
                "shared memory cannot be mapped", errno);
  }
  Mapping mapping(std::span(static_cast<std::byte*>(at), *length));
  if (syscalls().madvise(at, *length, MADV_DONTFORK) < 0) {
    return fail(Errc::operating_system, "shared memory cannot be kept from children", errno);
  }
  return mapping;
}

}  // namespace comch::os
