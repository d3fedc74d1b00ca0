// MappedPages: see mapped_pages.h.
#include "os/mapped_pages.h"

#include <cerrno>

#include "os/slow_close.h"
#include "os/syscalls.h"

namespace comch::os {

MappedPages& MappedPages::operator=(MappedPages&& other) noexcept {
  if (this == &other) return *this;
  unmap();
  bytes_ = std::exchange(other.bytes_, {});
  share_ = std::move(other.share_);
  return *this;
}

void MappedPages::unmap() noexcept {
  if (bytes_.empty()) return;
  const int before = errno;
  if (share_) {
    unmap_elsewhere(bytes_, std::move(share_));
  } else {
    syscalls().munmap(bytes_.data(), bytes_.size());
  }
  errno = before;
}

}  // namespace comch::os
