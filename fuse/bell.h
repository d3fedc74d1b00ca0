// Bell: wakes the loop from another thread.
//
// Threads: ring() any; the rest is the loop's. Lifetime: shared with those who ring it.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

namespace comch::fuse {

class Bell {
 public:
  Bell() : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  Bell(const Bell&) = delete;
  Bell& operator=(const Bell&) = delete;
  ~Bell() {
    if (fd_ >= 0) close(fd_);
  }

  int fd() const { return fd_; }  // Readable once it was rung; -1: there was none to be had.
  void ring() const {
    if (eventfd_write(fd_, 1) != 0) return;  // It is full: it rings already.
  }
  void silence() const {
    eventfd_t count = 0;
    if (eventfd_read(fd_, &count) != 0) return;  // Nobody has rung since.
  }

 private:
  const int fd_;
};

}  // namespace comch::fuse
