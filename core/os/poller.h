// Poller: one descriptor to wait on for many.
//
//   Poller poller = Poller::create().value();
//   poller.add(socket.get(), EPOLLIN, &connection);
//   std::array<Ready, 16> ready;
//   for (std::size_t n = poller.wait(ready, 10ms).value(); const Ready& r :
//   std::span(ready).first(n)) ...
//
// An epoll set, level-triggered unless `events` says otherwise. Its own descriptor is
// readable while something in it is ready, so that it can lie in another one.
//
// Threads: add, modify, remove and wait may be called from different threads, as epoll's.
// Lifetime: remove a descriptor before it is closed, for as long as a copy of it is open
// anywhere the kernel goes on reporting it. A tag may still be in `out` of an earlier wait().
#pragma once

#include <sys/epoll.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

#include "comch/result.h"
#include "os/fd.h"

namespace comch::os {

struct Ready {
  void* tag = nullptr;
  std::uint32_t events = 0;  // EPOLLIN and the like.
};

class Poller {
 public:
  // operating_system: see sys.
  static Result<Poller> create();

  // already_exist: `fd` is there. operating_system: see sys.
  Status add(int fd, std::uint32_t events, void* tag);
  // not_found: `fd` was not added. operating_system: see sys.
  Status modify(int fd, std::uint32_t events, void* tag);
  Status remove(int fd);

  // Fills `out` with what is ready and says how many, after at most `timeout`; a
  // negative one waits for ever. At most kBatch at a time; those left over are first
  // next time. 0: the time is over, or a signal came.
  // invalid_value: `out` is empty. operating_system: see sys.
  Result<std::size_t> wait(std::span<Ready> out, std::chrono::nanoseconds timeout);

  static constexpr std::size_t kBatch = 64;  // Picked, not tuned: 768 bytes of stack.

  const Fd& fd() const { return fd_; }

 private:
  explicit Poller(Fd fd) : fd_(std::move(fd)) {}

  Fd fd_;
  bool has_nanoseconds_ = true;  // Until the kernel says that it has no epoll_pwait2.
};

}  // namespace comch::os
