// PeerFile: see peer_file.h.
#include "os/peer_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <vector>

#include "os/syscalls.h"
#include "os/uninterrupted.h"

namespace comch::os {

bool is_regular_file(const Fd& fd) {
  mode_t mode = 0;
  if (syscalls().known_mode(fd.get(), &mode) == 0) return S_ISREG(mode);
  return errno == EPERM || errno == ENOSYS;
}

bool is_cached_file(const Fd& fd) {
  const int flags = syscalls().status_flags(fd.get());
  const bool is_readable = (flags & O_ACCMODE) != O_WRONLY && (flags & (O_DIRECT | O_PATH)) == 0;
  return flags >= 0 && is_readable && is_regular_file(fd);
}

bool read_cached(const Fd& fd, std::span<std::byte> into, std::uint64_t offset) {
  const ssize_t size = uninterrupted([&] {
    return syscalls().pread_cached(fd.get(), into.data(), into.size(), static_cast<off_t>(offset));
  });
  return size >= 0 && static_cast<std::size_t>(size) == into.size();
}

void PeerFile::close() {
  if (!fd_) return;
  std::vector<Fd> one;
  one.push_back(std::move(fd_));
  close_elsewhere(std::move(one), sender_);
}

}  // namespace comch::os
