// Lock file: flock(2), and the races with unlink(2).
#include "os/lock_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <optional>

#include "os/identity.h"
#include "os/syscalls.h"
#include "os/uninterrupted.h"

namespace comch::os {
namespace {

// How often the name may be taken away while we lock it. Each time somebody else has
// held and given up the name, so a few are many.
constexpr int kAttemptsMax = 16;
// How often one who shares it is waited for, a millisecond each: he holds it for microseconds.
constexpr int kPausesMax = 200;

Result<Fd> open_lock(const Fd& directory, const char* name, int how) {
  // O_NONBLOCK: a FIFO in its place shall not hold us.
  const int flags = how | O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  Fd fd(uninterrupted([&] { return syscalls().openat(directory.get(), name, flags, 0600); }));
  if (fd) return fd;
  switch (errno) {
    case ENOENT:
      return fail(Errc::not_found, "there is no lock", ENOENT);
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

Status flock_now(const Fd& fd, int how) {
  if (uninterrupted([&] { return syscalls().flock(fd.get(), how | LOCK_NB); }) == 0) return {};
  if (errno == EWOULDBLOCK) return fail(Errc::already_exist, "somebody holds the lock");
  return fail(Errc::operating_system, "the lock file cannot be locked", errno);
}

// After it was refused to us: whether who has it shares it, and so is no owner of the name.
bool is_shared(const Fd& fd) {
  const bool shared = flock_now(fd, LOCK_SH).has_value();
  if (shared) syscalls().flock(fd.get(), LOCK_UN);
  return shared;
}

bool is_empty_and_ours(const Fd& fd) {
  struct stat found = {};
  return syscalls().fstat(fd.get(), &found) == 0 && S_ISREG(found.st_mode) &&
         found.st_uid == own_uid() && found.st_size == 0;
}

}  // namespace

Result<Fd> lock_at(const Fd& directory, const char* name) {
  int pauses = 0;
  for (int attempt = 0; attempt < kAttemptsMax; ++attempt) {
    Result<Fd> fd = open_lock(directory, name, O_CREAT);
    if (!fd) return fd;
    if (const Status locked = flock_now(*fd, LOCK_EX); !locked) {
      const bool passes =
          locked.error().code == Errc::already_exist && pauses < kPausesMax && is_shared(*fd);
      if (!passes) return std::unexpected(locked.error());
      syscalls().poll(nullptr, 0, 1);
      ++pauses;
      --attempt;
      continue;
    }
    const Result<bool> named = has_name(*fd, directory, name);
    if (!named) return std::unexpected(named.error());
    if (*named) return fd;
  }
  return fail(Errc::already_exist, "the lock changes hands too fast");
}

Result<Fd> share_lock_at(const Fd& directory, const char* name) {
  Result<Fd> fd = open_lock(directory, name, 0);
  if (!fd) return fd;
  if (!is_empty_and_ours(*fd)) return fail(Errc::not_permitted, "that is no lock of ours", EACCES);
  if (const Status shared = flock_now(*fd, LOCK_SH); !shared) {
    return std::unexpected(shared.error());
  }
  const Result<bool> named = has_name(*fd, directory, name);
  if (!named) return std::unexpected(named.error());
  if (!*named) return fail(Errc::not_found, "the lock lost its name meanwhile", ENOENT);
  return fd;
}

}  // namespace comch::os
