// KernelWait: see kernel_wait.h.
#include "kernel_wait.h"

#include <poll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <tuple>

namespace comch::uring {

namespace {

using Nanoseconds = std::chrono::nanoseconds;

template <class Time>
Time split(Nanoseconds time) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
  Time out{};
  out.tv_sec = seconds.count();
  out.tv_nsec = (time - seconds).count();
  return out;
}

// Beside the kernel's flags of a submission queue, which are the low ones.
constexpr unsigned kUntold = 1U << 31U;
constexpr unsigned kTold = IORING_SQ_TASKRUN | IORING_SQ_CQ_OVERFLOW;
// Most often there is nothing to enter for, and a system call is what several waits cost.
constexpr unsigned kLooksPerEntry = 64;

// Newer than the headers may be.
constexpr unsigned kSetupCqeMixed = 1U << 18U;

unsigned untold(unsigned setup) {
  constexpr unsigned kTasks = IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_COOP_TASKRUN;
  return (setup & kTasks) != 0 && (setup & IORING_SETUP_TASKRUN_FLAG) == 0 ? kUntold : 0;
}

Status refused(int error, const char* what) { return fail(Errc::operating_system, what, -error); }
Status full() { return refused(-EBUSY, "the kernel's queue is full"); }

}  // namespace

Result<std::unique_ptr<KernelWait>> KernelWait::create(int event_fd, const Options& options) {
  constexpr unsigned kRefused = IORING_SETUP_IOPOLL | kSetupCqeMixed;
  if (options.join != nullptr && (options.join->flags & kRefused) != 0) {
    return fail(Errc::not_supported, "an io_uring of this sort cannot be joined");
  }
  auto wait = std::make_unique<KernelWait>(event_fd, options);
  if (wait->ring_ != nullptr && !wait->timeout_argument_) {
    wait->timer_fd_ = ::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (wait->timer_fd_ < 0) return fail(Errc::operating_system, "no timer descriptor", errno);
  }
  return wait;
}

// A process that may have no io_uring (a filter, a limit, an old kernel) waits in poll().
KernelWait::KernelWait(int event_fd, const Options& options) : event_fd_(event_fd) {
  if (options.join != nullptr) {
    ring_ = options.join;
    untold_ = untold(ring_->flags);
  } else if (!options.without_ring && io_uring_queue_init(options.entries, &own_ring_, 0) == 0) {
    ring_ = &own_ring_;
  }
  timeout_argument_ = ring_ != nullptr && !options.without_timeout_argument &&
                      (ring_->features & IORING_FEAT_EXT_ARG) != 0;
  words_ = ring_ != nullptr && !options.without_words && PendingWaits::can_wait_for_words(*ring_);
  if (ring_ != nullptr) drains_.begin(*ring_);
}

KernelWait::~KernelWait() {
  if (is_joined()) waits_.leave(*ring_);
  if (ring_ == &own_ring_) io_uring_queue_exit(&own_ring_);
  if (timer_fd_ >= 0) ::close(timer_fd_);
}

void KernelWait::forget() {
  waits_.forget();
  if (is_joined()) ring_ = nullptr;
}

// --- The application's operations --------------------------------------------------------

Status KernelWait::submit_some() {
  const int submitted = io_uring_submit(ring_);
  return submitted < 0 ? refused(submitted, "the kernel takes no submissions") : Status{};
}

void KernelWait::heed_drains() {
  if (drains_.look(*ring_)) waits_.withdraw(*ring_);
}

bool KernelWait::has_completions() {
  if (ring_ == nullptr) return false;
  // Some rings complete only when they are entered.
  const unsigned flags = IO_URING_READ_ONCE(*ring_->sq.kflags) | untold_;
  if ((flags & (kTold | kUntold)) != 0) enter(flags);
  waits_.take(*ring_);
  return io_uring_cq_ready(ring_) != 0;
}

void KernelWait::enter(unsigned flags) {
  if ((flags & kTold) == 0 && ++looks_ % kLooksPerEntry != 0) return;
  std::ignore = io_uring_get_events(ring_);
}

bool KernelWait::has_late_completions() {
  if (untold_ == 0) return false;
  std::ignore = io_uring_get_events(ring_);
  return has_completions();
}

// --- Sleeping ----------------------------------------------------------------------------

Status KernelWait::sleep(std::optional<Nanoseconds> most, const Transfers& transfers,
                         std::span<const WakeWord> words) {
  if (most && *most <= Nanoseconds(0)) return submit();
  if (ring_ != nullptr) heed_drains();
  if (ring_ != nullptr && sleeps_in_ring(transfers)) {
    if (!waits_.wait_for(*ring_, words)) return full();
    if (transfers.ring_fd >= 0 &&
        !waits_.poll(*ring_, PendingWaits::kTransfers, transfers.ring_fd)) {
      return full();
    }
    return sleep_in_ring(most);
  }
  if (Status s = submit(); !s) return s;
  // Peers believe that we wait for words. The next sleep asks for none.
  if (!words.empty()) return {};
  return sleep_in_poll(most, transfers);
}

Status KernelWait::set_timer(std::optional<Nanoseconds> most) {
  itimerspec when{};
  if (most) when.it_value = split<timespec>(*most);
  // Setting it takes back a former expiry.
  if (::timerfd_settime(timer_fd_, 0, &when, nullptr) < 0) return refused(-errno, "no timer");
  if (most && !waits_.poll(*ring_, PendingWaits::kTimer, timer_fd_)) return full();
  return {};
}

Status KernelWait::sleep_in_ring(std::optional<Nanoseconds> most) {
  if (!waits_.poll(*ring_, PendingWaits::kEvent, event_fd_)) return full();
  int result = 0;
  if (most && timeout_argument_) {
    auto time = split<__kernel_timespec>(*most);
    io_uring_cqe* completion = nullptr;
    result = io_uring_submit_and_wait_timeout(ring_, &completion, 1, &time, nullptr);
  } else {
    if (timer_fd_ >= 0) {
      if (Status s = set_timer(most); !s) return s;
    }
    result = io_uring_submit_and_wait(ring_, 1);
  }
  drains_.pass(*ring_);
  waits_.take(*ring_);
  return result < 0 && result != -ETIME ? refused(result, "the kernel does not wait") : Status{};
}

// Whether poll() of the ring's descriptor ends when there is something for the application.
bool KernelWait::is_told_by_poll() const {
  if (ring_ == nullptr) return true;
  // An application may have closed the descriptor of a ring that is registered.
  return (ring_->flags & IORING_SETUP_DEFER_TASKRUN) == 0 && ring_->ring_fd >= 0;
}

Status KernelWait::sleep_in_poll(std::optional<Nanoseconds> most, const Transfers& transfers) {
  constexpr Nanoseconds kLook = std::chrono::milliseconds(1);
  if (!is_told_by_poll()) most = std::min(most.value_or(kLook), kLook);
  polled_.assign(transfers.descriptors.begin(), transfers.descriptors.end());
  for (const int fd : {event_fd_, ring_ != nullptr ? ring_->ring_fd : -1, transfers.ring_fd}) {
    polled_.push_back({.fd = fd, .events = POLLIN, .revents = 0});
  }
  const timespec time = split<timespec>(most.value_or(Nanoseconds(0)));
  const int polled = ::ppoll(polled_.data(), polled_.size(), most ? &time : nullptr, nullptr);
  if (polled < 0) return refused(-errno, "the kernel does not wait");
  if (untold_ != 0) std::ignore = io_uring_get_events(ring_);
  return {};
}

}  // namespace comch::uring
