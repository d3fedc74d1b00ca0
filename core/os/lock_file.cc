// Lock file: flock(2), and the race with unlink(2).
#include "os/lock_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <optional>

#include "os/syscalls.h"
#include "os/uninterrupted.h"

namespace comch::os {
namespace {

// How often the name may be taken away while we lock it. Each time somebody else has
// held and given up the name, so a few are many.
constexpr int kAttemptsMax = 16;

Result<Fd> open_lock(const Fd& directory, const char* name) {
  // O_NONBLOCK: a FIFO in its place shall not hold us.
  constexpr int kFlags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  Fd fd(uninterrupted([&] { return syscalls().openat(directory.get(), name, kFlags, 0600); }));
  if (fd) return fd;
  switch (errno) {
    case EACCES:
    case EPERM:
    case EROFS:
    case EISDIR:
    case ELOOP:
      return fail(Errc::not_permitted, "the lock file may not be used", errno);
    default:
      return fail(Errc::operating_system, "the lock file cannot be opened", errno);
  }
}

// Whether `name` still means the file that we have locked. The last holder may have
// removed it between our open and our lock; then ours is the lock of a file without a
// name, and the next caller would make and lock another one.
Result<bool> has_name(const Fd& fd, const Fd& directory, const char* name) {
  struct stat ours = {};
  struct stat named = {};
  if (syscalls().fstat(fd.get(), &ours) < 0) {
    return fail(Errc::operating_system, "the lock file cannot be examined", errno);
  }
  if (!S_ISREG(ours.st_mode)) {
    return fail(Errc::not_permitted, "the lock file is no regular file", EACCES);
  }
  if (syscalls().fstatat(directory.get(), name, &named, AT_SYMLINK_NOFOLLOW) < 0) {
    if (errno == ENOENT) return false;
    return fail(Errc::operating_system, "the lock file cannot be examined", errno);
  }
  return ours.st_dev == named.st_dev && ours.st_ino == named.st_ino;
}

}  // namespace

Result<Fd> lock_at(const Fd& directory, const char* name) {
  for (int attempt = 0; attempt < kAttemptsMax; ++attempt) {
    Result<Fd> fd = open_lock(directory, name);
    if (!fd) return fd;
    if (uninterrupted([&] { return syscalls().flock(fd->get(), LOCK_EX | LOCK_NB); }) < 0) {
      if (errno == EWOULDBLOCK) return fail(Errc::already_exist, "somebody holds the lock");
      return fail(Errc::operating_system, "the lock file cannot be locked", errno);
    }
    const Result<bool> named = has_name(*fd, directory, name);
    if (!named) return std::unexpected(named.error());
    if (*named) return fd;
  }
  return fail(Errc::already_exist, "the lock changes hands too fast");
}

}  // namespace comch::os
