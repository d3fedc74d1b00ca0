// Directory: opening, making, listing and judging directories.
#include "os/directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <source_location>
#include <span>
#include <string_view>
#include <utility>

#include "os/identity.h"
#include "os/syscalls.h"
#include "os/uninterrupted.h"

namespace comch::os {
namespace {

// O_PATH: a directory that may be passed through need not be readable.
constexpr int kOpenFlags = O_PATH | O_DIRECTORY | O_CLOEXEC;

// What `sys` (errno) means for a directory.
std::unexpected<Error> refuse(const char* what, int sys = errno,
                              std::source_location where = std::source_location::current()) {
  switch (sys) {
    case ENOENT:
    case ENOTDIR:
      return fail(Errc::not_found, what, sys, where);
    case EEXIST:
      return fail(Errc::already_exist, what, sys, where);
    case ENOTEMPTY:
      return fail(Errc::in_use, what, sys, where);
    case EACCES:
    case EPERM:
    case EROFS:
      return fail(Errc::not_permitted, what, sys, where);
    default:
      return fail(Errc::operating_system, what, sys, where);
  }
}

Result<Fd> open_part(int directory, const char* name, int flags) {
  Fd fd(uninterrupted([&] { return syscalls().openat(directory, name, flags, 0); }));
  if (!fd) return refuse("the directory cannot be opened");
  return fd;
}

// Opens `name`, and makes it first where it is missing. Somebody else may be making it
// at the same time; it does not matter who was first.
Result<Fd> open_or_make(const Fd& directory, const char* name, mode_t mode) {
  Result<Fd> there = open_part(directory.get(), name, kOpenFlags);
  if (there || there.error().sys != ENOENT) return there;
  const Status made = make_directory_at(directory, name, mode);
  if (!made && made.error().code != Errc::already_exist) return std::unexpected(made.error());
  return open_part(directory.get(), name, kOpenFlags);
}

// Adds the names in one answer of getdents64().
void collect(std::span<const std::byte> entries, std::vector<std::string>& names) {
  while (!entries.empty()) {
    std::uint16_t length = 0;
    std::memcpy(&length, &entries[offsetof(dirent64, d_reclen)], sizeof length);
    std::string name = reinterpret_cast<const char*>(&entries[offsetof(dirent64, d_name)]);
    if (name != "." && name != "..") names.push_back(std::move(name));
    entries = entries.subspan(length);
  }
}

}  // namespace

Result<Fd> open_directory(const char* path) { return open_part(AT_FDCWD, path, kOpenFlags); }

Result<Fd> open_directory_at(const Fd& directory, const char* name) {
  return open_part(directory.get(), name, kOpenFlags | O_NOFOLLOW);
}

Status make_directory_at(const Fd& directory, const char* name, mode_t mode) {
  if (syscalls().mkdirat(directory.get(), name, mode) < 0) {
    return refuse("the directory cannot be made");
  }
  // Behind the umask's back. Until here it is only narrower. Another's rmdir may come first, which
  // whoever opens it finds out.
  if (syscalls().fchmodat(directory.get(), name, mode, AT_SYMLINK_NOFOLLOW) == 0) return {};
  const int sys = errno;
  if (sys == ENOENT) return {};
  syscalls().unlinkat(directory.get(), name, AT_REMOVEDIR);
  return refuse("the directory cannot be given its mode", sys);
}

Status remove_directory_at(const Fd& directory, const char* name) {
  if (syscalls().unlinkat(directory.get(), name, AT_REMOVEDIR) < 0) {
    return refuse("the directory cannot be removed");
  }
  return {};
}

Status unlink_at(const Fd& directory, const char* name) {
  if (syscalls().unlinkat(directory.get(), name, 0) < 0)
    return refuse("the name cannot be removed");
  return {};
}

Result<Fd> make_directories(const char* path, mode_t mode) {
  std::string_view rest = path;
  if (rest.empty()) return refuse("an empty path names no directory", ENOENT);
  Result<Fd> here = open_part(AT_FDCWD, rest.front() == '/' ? "/" : ".", kOpenFlags);
  while (here && !rest.empty()) {
    const std::string part(rest.substr(0, rest.find('/')));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    if (!part.empty()) here = open_or_make(*here, part.c_str(), mode);
  }
  return here;
}

Result<std::vector<std::string>> names_at(const Fd& directory, std::size_t most) {
  // Opened anew: the position in a directory belongs to the descriptor.
  const Result<Fd> fd = open_part(directory.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (!fd) return std::unexpected(fd.error());
  std::vector<std::string> names;
  alignas(dirent64) std::array<std::byte, 4096> entries;
  // Ends with the directory; the kernel's order is stable while it is read.
  while (names.size() < most) {
    const ssize_t size = uninterrupted(
        [&] { return syscalls().getdents64(fd->get(), entries.data(), entries.size()); });
    if (size < 0) return refuse("the directory cannot be listed");
    if (size == 0) break;
    collect(std::span(entries).first(static_cast<std::size_t>(size)), names);
  }
  if (names.size() > most) names.resize(most);
  std::ranges::sort(names);
  return names;
}

bool may_write(const Fd& directory) {
  return syscalls().faccessat(directory.get(), ".", W_OK | X_OK, AT_EACCESS) == 0;
}

Status check_trusted(const Fd& directory) {
  struct stat found = {};
  if (syscalls().fstat(directory.get(), &found) < 0) {
    return refuse("the directory cannot be examined");
  }
  const bool ours = found.st_uid == 0 || found.st_uid == own_uid();
  const bool others_write = (found.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  const bool sticky = (found.st_mode & S_ISVTX) != 0;
  if (!ours || (others_write && !sticky)) {
    return fail(Errc::not_permitted, "the directory is in the hands of others", EPERM);
  }
  return {};
}

}  // namespace comch::os
