// Poller: epoll(7).
#include "os/poller.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>

#include "os/syscalls.h"

namespace comch::os {
namespace {

using std::chrono::nanoseconds;

Status control(const Fd& set, int operation, int fd, std::uint32_t events, void* tag) {
  epoll_event event = {};
  event.events = events;
  event.data.ptr = tag;
  if (syscalls().epoll_ctl(set.get(), operation, fd, &event) == 0) return {};
  switch (errno) {
    case EEXIST:
      return fail(Errc::already_exist, "the descriptor is waited for already", EEXIST);
    case ENOENT:
      return fail(Errc::not_found, "the descriptor is not waited for", ENOENT);
    default:
      return fail(Errc::operating_system, "the descriptor cannot be waited for", errno);
  }
}

timespec to_timespec(nanoseconds timeout) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(timeout);
  return {.tv_sec = seconds.count(), .tv_nsec = (timeout - seconds).count()};
}

// Rounded up: a wait must not end early and turn into a spin.
int to_milliseconds(nanoseconds timeout) {
  if (timeout < nanoseconds::zero()) return -1;
  const auto rounded = std::chrono::ceil<std::chrono::milliseconds>(timeout).count();
  return static_cast<int>(std::min<long long>(rounded, std::numeric_limits<int>::max()));
}

}  // namespace

Result<Poller> Poller::create() {
  Fd fd(syscalls().epoll_create1(EPOLL_CLOEXEC));
  if (!fd) return fail(Errc::operating_system, "no poller can be made", errno);
  return Poller(std::move(fd));
}

Status Poller::add(int fd, std::uint32_t events, void* tag) {
  return control(fd_, EPOLL_CTL_ADD, fd, events, tag);
}

Status Poller::modify(int fd, std::uint32_t events, void* tag) {
  return control(fd_, EPOLL_CTL_MOD, fd, events, tag);
}

Status Poller::remove(int fd) { return control(fd_, EPOLL_CTL_DEL, fd, 0, nullptr); }

Result<std::size_t> Poller::wait(std::span<Ready> out, nanoseconds timeout) {
  if (out.empty()) return fail(Errc::invalid_value, "there is no room for an answer");
  std::array<epoll_event, kBatch> events;
  const int room = static_cast<int>(std::min(out.size(), events.size()));
  int count = -1;
  errno = ENOSYS;
  if (has_nanoseconds_) {
    const timespec limit = to_timespec(timeout);
    count = syscalls().epoll_pwait2(fd_.get(), events.data(), room,
                                    timeout < nanoseconds::zero() ? nullptr : &limit);
  }
  if (count < 0 && errno == ENOSYS) {
    has_nanoseconds_ = false;
    count = syscalls().epoll_wait(fd_.get(), events.data(), room, to_milliseconds(timeout));
  }
  if (count < 0) {
    if (errno == EINTR) return 0;
    return fail(Errc::operating_system, "the poller cannot wait", errno);
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    out[i] = Ready{.tag = events[i].data.ptr, .events = events[i].events};
  }
  return static_cast<std::size_t>(count);
}

}  // namespace comch::os
