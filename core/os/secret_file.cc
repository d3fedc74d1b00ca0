// Secret file: see secret_file.h.
#include "os/secret_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "os/fd.h"
#include "os/syscalls.h"
#include "os/uninterrupted.h"

namespace comch::os {
namespace {

std::unexpected<Error> not_opened() {
  const int sys = errno;
  if (sys == ENOENT || sys == ENOTDIR) return fail(Errc::not_found, "there is no such file", sys);
  if (sys == EACCES || sys == EPERM) {
    return fail(Errc::not_permitted, "this user may not read it", sys);
  }
  return fail(Errc::operating_system, "the file cannot be read", sys);
}

Status check_private(const Fd& fd) {
  struct stat file{};
  if (syscalls().fstat(fd.get(), &file) != 0) return not_opened();
  if (!S_ISREG(file.st_mode)) return fail(Errc::invalid_value, "it is no regular file");
  if (file.st_uid != 0 && file.st_uid != syscalls().geteuid()) {
    return fail(Errc::not_permitted, "a secret of another user is none");
  }
  if ((file.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return fail(Errc::not_permitted, "others may open it; chmod 600 keeps a secret");
  }
  return {};
}

}  // namespace

Result<std::vector<std::byte>> read_secret(const std::string& path) {
  // Not blocking: whatever lies there, a FIFO say, is opened at once.
  const Fd fd(uninterrupted([&] {
    return syscalls().openat(AT_FDCWD, path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
  }));
  if (!fd) return not_opened();
  if (Status s = check_private(fd); !s) return std::unexpected(s.error());
  std::vector<std::byte> bytes(kMaxSecret + 1);
  std::size_t size = 0;
  while (size < bytes.size()) {
    const ssize_t count = uninterrupted(
        [&] { return syscalls().read(fd.get(), bytes.data() + size, bytes.size() - size); });
    if (count < 0) return not_opened();
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
  }
  if (size > kMaxSecret) return fail(Errc::too_big, "no secret is longer than 4,096 bytes");
  bytes.resize(size);
  return bytes;
}

}  // namespace comch::os
