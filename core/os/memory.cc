// Memory: memfds, their seals and pages, and dma-bufs.
#include "os/memory.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <cerrno>
#include <limits>
#include <optional>

#include "os/memfd.h"
#include "os/syscalls.h"
#include "os/uninterrupted.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23  // Linux 5.14; glibc of Debian 12 knows it, older ones do not.
#endif

namespace comch::os {
namespace {

constexpr std::uint64_t kSizeMax = static_cast<std::uint64_t>(std::numeric_limits<off_t>::max());
constexpr std::uint64_t kDmaBufMagic = 0x444d4142;  // DMA_BUF_MAGIC, missing in old headers.

// Of which file system a file is, and the file.
struct Kind {
  std::uint64_t file_system = 0;
  struct stat file = {};
};

Result<Kind> kind_of(const Fd& fd) {
  struct statfs file_system = {};
  Kind kind;
  if (uninterrupted([&] { return syscalls().fstatfs(fd.get(), &file_system); }) < 0 ||
      syscalls().fstat(fd.get(), &kind.file) < 0) {
    return fail(Errc::operating_system, "the memory cannot be examined", errno);
  }
  kind.file_system = static_cast<std::uint64_t>(file_system.f_type);
  return kind;
}

// Of huge pages, which come in several sizes.
Result<std::uint64_t> page_size(const Fd& fd) {
  struct stat file = {};
  if (syscalls().fstat(fd.get(), &file) < 0) {
    return fail(Errc::operating_system, "the memory cannot be examined", errno);
  }
  return static_cast<std::uint64_t>(file.st_blksize);
}

Status set_size(const Fd& fd, std::uint64_t size) {
  if (uninterrupted([&] { return syscalls().ftruncate(fd.get(), static_cast<off_t>(size)); }) < 0) {
    return fail(Errc::operating_system, "shared memory cannot have this size", errno);
  }
  return {};
}

Status add_seals(const Fd& fd, int seals) {
  if (syscalls().add_seals(fd.get(), seals) < 0) {
    return fail(Errc::operating_system, "shared memory cannot be sealed", errno);
  }
  return {};
}

}  // namespace

Result<Fd> make_memory(const char* name, std::uint64_t size, Pages pages) {
  if (size == 0 || size > kSizeMax)
    return fail(Errc::invalid_value, "memory cannot have this size");
  const unsigned huge = pages == Pages::kPool ? MFD_HUGETLB : 0;
  Fd fd(syscalls().memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | huge));
  if (!fd) return fail(Errc::operating_system, "no shared memory can be made", errno);
  const Result<std::uint64_t> page = pages == Pages::kPool ? page_size(fd) : 1;
  if (!page) return std::unexpected(page.error());
  const std::optional<std::uint64_t> whole = checked_round_up(size, *page);
  if (!whole || *whole > kSizeMax) return fail(Errc::invalid_value, "memory cannot have this size");
  if (Status s = set_size(fd, *whole); !s) return std::unexpected(s.error());
  return fd;
}

Status seal_memory(const Fd& fd, ForOthers others) {
  return add_seals(fd, kSizeSeals | (others == ForOthers::kReadOnly ? F_SEAL_FUTURE_WRITE : 0));
}

bool others_may_write(const Fd& fd) {
  const int seals = syscalls().get_seals(fd.get());
  return seals < 0 || (seals & (F_SEAL_WRITE | F_SEAL_FUTURE_WRITE)) == 0;
}

Status populate(const Fd& fd, const Window& window) {
  const std::span<std::byte> bytes = window.bytes();
  const auto advise = [&] {
    return syscalls().madvise(bytes.data(), bytes.size(), MADV_POPULATE_WRITE);
  };
  if (uninterrupted(advise) == 0) return {};
  if (errno == EINVAL) {  // A kernel before 5.14: the pages exist then, but are not mapped.
    const auto allocate = [&] {
      return syscalls().fallocate(fd.get(), 0, 0, static_cast<off_t>(bytes.size()));
    };
    if (uninterrupted(allocate) == 0) return {};
  }
  const bool none_left = errno == ENOMEM || errno == ENOSPC || errno == EFAULT;
  return fail(none_left ? Errc::no_memory : Errc::operating_system,
              "the memory's pages cannot be taken now", errno);
}

Status advise_huge(const Window& window) {
  const std::span<std::byte> bytes = window.bytes();
  if (syscalls().madvise(bytes.data(), bytes.size(), MADV_HUGEPAGE) < 0) {
    return fail(Errc::operating_system, "this kernel gives no huge pages on advice", errno);
  }
  return {};
}

Result<std::uint64_t> memory_size(const Fd& fd) {
  const Result<Kind> kind = kind_of(fd);
  if (!kind) return std::unexpected(kind.error());
  const bool memory = kind->file_system == TMPFS_MAGIC || kind->file_system == HUGETLBFS_MAGIC;
  if (!memory || !S_ISREG(kind->file.st_mode)) {
    return fail(Errc::invalid_value, "the descriptor is no memory: neither memfd nor tmpfs file");
  }
  return static_cast<std::uint64_t>(kind->file.st_size);
}

Result<std::uint64_t> dmabuf_size(const Fd& fd) {
  const Result<Kind> kind = kind_of(fd);
  if (!kind) return std::unexpected(kind.error());
  if (kind->file_system != kDmaBufMagic) {
    return fail(Errc::invalid_value, "the descriptor is no dma-buf");
  }
  return static_cast<std::uint64_t>(kind->file.st_size);
}

Result<Fd> duplicate(int fd) {
  Fd copy(syscalls().duplicate(fd));
  if (copy) return copy;
  return fail(errno == EBADF ? Errc::invalid_value : Errc::operating_system,
              "the descriptor cannot be duplicated", errno);
}

Result<FileId> file_id(const Fd& fd) {
  struct stat file = {};
  if (syscalls().fstat(fd.get(), &file) < 0) {
    return fail(Errc::operating_system, "the memory cannot be examined", errno);
  }
  return FileId{.device = file.st_dev, .inode = file.st_ino};
}

Result<Fd> make_blank_memory(const char* name) {
  Fd fd(syscalls().memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd) return fail(Errc::operating_system, "no shared memory can be made", errno);
  return fd;
}

Status freeze_memory(const Fd& fd, std::span<const std::byte> content) {
  const ssize_t written =
      uninterrupted([&] { return syscalls().write(fd.get(), content.data(), content.size()); });
  if (written < 0 || static_cast<std::size_t>(written) != content.size()) {
    return fail(Errc::operating_system, "shared memory cannot be written", errno);
  }
  return add_seals(fd, kSizeSeals | F_SEAL_WRITE);
}

Status read_frozen_memory(const Fd& fd, std::span<std::byte> into) {
  const int seals = syscalls().get_seals(fd.get());
  constexpr int kFrozen = kSizeSeals | F_SEAL_WRITE;
  if (seals < 0 && errno != EINVAL) {  // EINVAL: it is nothing that could be sealed.
    return fail(Errc::operating_system, "the memory cannot be examined", errno);
  }
  if (seals < 0 || (seals & kFrozen) != kFrozen) {
    return fail(Errc::invalid_value, "the memory could still change");
  }
  struct stat file = {};
  if (syscalls().fstat(fd.get(), &file) < 0) {
    return fail(Errc::operating_system, "the memory cannot be examined", errno);
  }
  if (static_cast<std::uint64_t>(file.st_size) != into.size()) {
    return fail(Errc::invalid_value, "the memory has another size");
  }
  const ssize_t got =
      uninterrupted([&] { return syscalls().pread(fd.get(), into.data(), into.size(), 0); });
  if (got < 0 || static_cast<std::size_t>(got) != into.size()) {
    return fail(Errc::operating_system, "the memory cannot be read", errno);
  }
  return {};
}

}  // namespace comch::os
