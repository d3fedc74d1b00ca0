// PollIo: see poll_io.h.
#include "poll_io.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

namespace comch::uring {

namespace {

// As much as it takes without blocking. A pipe that is ready takes so much, and no more is certain;
// of a socket, one byte is.
ssize_t write_some(int fd, const std::byte* from, std::uint64_t size) {
  struct stat about{};
  const mode_t mode = ::fstat(fd, &about) == 0 ? about.st_mode : 0;
  if (S_ISSOCK(mode)) return ::send(fd, from, size, MSG_NOSIGNAL | MSG_DONTWAIT);
  return ::write(fd, from, S_ISFIFO(mode) ? std::min<std::uint64_t>(size, PIPE_BUF) : size);
}

ssize_t call(const Transfer& t, int fd) {
  const std::uint64_t size = t.size();
  const auto offset = static_cast<off_t>(t.offset + t.done);
  switch (t.call) {
    case Transfer::Call::kRead:
      return t.is_stream() ? ::read(fd, t.at(), size) : ::pread(fd, t.at(), size, offset);
    case Transfer::Call::kWrite:
      return t.is_stream() ? write_some(fd, t.at(), size) : ::pwrite(fd, t.at(), size, offset);
    case Transfer::Call::kReceive:
      return ::recv(fd, t.at(), size, t.flags | MSG_DONTWAIT);
    case Transfer::Call::kSend:
      return ::send(fd, t.at(), size, MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  return 0;
}

}  // namespace

PollIo::PollIo(std::size_t most) {
  waiting_.reserve(most);
  ready_.reserve(most);
  polled_.reserve(most);
}

void PollIo::begin(Transfer& transfer, int fd) { waiting_.push_back({&transfer, fd, false}); }

bool PollIo::cancel(Transfer& transfer) {
  const auto it = std::ranges::find(waiting_, &transfer, &Ready::transfer);
  if (it == waiting_.end()) return false;
  it->cancelled = true;
  return true;
}

std::span<const pollfd> PollIo::descriptors() {
  polled_.clear();
  for (const Ready& one : waiting_) {
    const short events = one.transfer->reads() ? POLLIN : POLLOUT;
    polled_.push_back({.fd = one.fd, .events = events, .revents = 0});
  }
  return polled_;
}

std::span<const PollIo::Ready> PollIo::take_ready() {
  ready_.clear();
  if (waiting_.empty()) return ready_;
  std::ignore = descriptors();
  if (::poll(polled_.data(), polled_.size(), 0) < 0) return ready_;
  std::size_t kept = 0;
  for (std::size_t n = 0; n < waiting_.size(); ++n) {
    const bool at_once = waiting_[n].cancelled || (waiting_[n].transfer->flags & MSG_DONTWAIT) != 0;
    const bool ready = at_once || polled_[n].revents != 0;
    (ready ? ready_.emplace_back() : waiting_[kept++]) = waiting_[n];
  }
  waiting_.resize(kept);
  return ready_;
}

std::int64_t PollIo::attempt(const Ready& ready) {
  if (ready.cancelled) return -ECANCELED;
  if (ready.transfer->polling) return 1;
  const ssize_t result = call(*ready.transfer, ready.fd);
  return result < 0 ? -errno : result;
}

}  // namespace comch::uring
