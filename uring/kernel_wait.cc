// KernelWait: see kernel_wait.h.
#include "kernel_wait.h"

#include <poll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
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

constexpr int kPatience_ms = 1000;

// Newer than the headers may be: FUTEX_WAIT (Linux 6.7), and a futex of 4 bytes of shared memory.
constexpr std::uint8_t kFutexWait = 51;
constexpr int kFutexOf4Bytes = 2;
constexpr std::uint64_t kFutexMatchAny = 0xffff'ffff;

bool knows_futex_wait(io_uring& ring) {
  io_uring_probe* const probe = io_uring_get_probe_ring(&ring);
  if (probe == nullptr) return false;
  // liburing's own question knows operations of its headers alone.
  const bool known =
      kFutexWait <= probe->last_op && (probe->ops[kFutexWait].flags & IO_URING_OP_SUPPORTED) != 0;
  io_uring_free_probe(probe);
  return known;
}

// Newer than the headers may be.
constexpr unsigned kSetupCqeMixed = 1U << 18U;

unsigned untold(unsigned setup) {
  constexpr unsigned kTasks = IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_COOP_TASKRUN;
  return (setup & kTasks) != 0 && (setup & IORING_SETUP_TASKRUN_FLAG) == 0 ? kUntold : 0;
}

Status refused(int error, const char* what) { return fail(Errc::operating_system, what, -error); }

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
  words_work_ = ring_ != nullptr && !options.without_words && knows_futex_wait(*ring_);
}

KernelWait::~KernelWait() {
  if (is_joined()) leave();
  if (ring_ == &own_ring_) io_uring_queue_exit(&own_ring_);
  if (timer_fd_ >= 0) ::close(timer_fd_);
}

void KernelWait::forget() {
  tags_ = {};
  if (is_joined()) ring_ = nullptr;
}

bool KernelWait::owns(const io_uring_cqe& completion) const {
  return completion.user_data >= tag(kEvent) && completion.user_data <= tag(kTags - 1);
}

bool KernelWait::expects_own() const {
  return std::ranges::any_of(tags_, [](std::uint8_t count) { return count != 0; });
}

bool KernelWait::claim(io_uring_cqe& completion) {
  if (!owns(completion)) return false;
  note(completion);
  // What was noted is not noted again, should it stay in the queue.
  completion.user_data = tag(kClaimed);
  return true;
}

void KernelWait::note(const io_uring_cqe& completion) {
  const auto which = completion.user_data - tag(kEvent);
  if (which == kClaimed) return;
  --tags_[which];
  if (completion.res >= 0 || completion.res == -ECANCELED || which == kRemoval) return;
  if (which < kWord) {
    ring_polls_ = false;
  } else if (completion.res != -EAGAIN && completion.res != -EINTR) {
    words_work_ = false;
  }
}

// --- Polls that are ours -----------------------------------------------------------------

io_uring_sqe* KernelWait::next_sqe() {
  io_uring_sqe* sqe = io_uring_get_sqe(ring_);
  if (sqe != nullptr) return sqe;
  // The application has filled the queue.
  if (io_uring_submit(ring_) < 0) return nullptr;
  sqe = io_uring_get_sqe(ring_);
  if (sqe != nullptr || (ring_->flags & IORING_SETUP_SQPOLL) == 0) return sqe;
  // A thread of the kernel empties it, at its own time. Whoever waits for that is sent back early
  // for a signal, and for completions that are to be seen to.
  constexpr int kTries = 1000;
  for (int tries = 0; sqe == nullptr && tries < kTries; ++tries) {
    if (io_uring_sqring_wait(ring_) < 0) return nullptr;
    sqe = io_uring_get_sqe(ring_);
  }
  return sqe;
}

bool KernelWait::arm(Tag which, int fd) {
  if (tags_[which] != 0) return true;
  io_uring_sqe* const sqe = next_sqe();
  if (sqe == nullptr) return false;
  io_uring_prep_poll_add(sqe, fd, POLLIN);
  sqe->user_data = tag(which);
  ++tags_[which];
  return true;
}

// Waits that go on in the kernel are found again by whose word it is.
bool KernelWait::arm(std::span<const WakeWord> words) {
  return std::ranges::all_of(
      words, [&](const WakeWord& word) { return arm_word(tag_for(word, words), word); });
}

// Its own; else a free one; else that of a word which is waited for no more.
std::size_t KernelWait::tag_for(const WakeWord& word, std::span<const WakeWord> words) const {
  std::size_t other = kTags;
  for (std::size_t which = kWord; which < kTags; ++which) {
    const std::uint64_t source = words_[which].source;
    if (source == word.source) return which;
    const bool wanted = std::ranges::find(words, source, &WakeWord::source) != words.end();
    if (!wanted && (other == kTags || tags_[other] != 0)) other = which;
  }
  return other;
}

bool KernelWait::arm_word(std::size_t which, const WakeWord& word) {
  // Of another word, or of before its last change.
  const WakeWord& last = words_[which];
  if (tags_[which] != 0) {
    if (last.source == word.source && last.value == word.value) return true;
    disarm(which);
  }
  io_uring_sqe* const sqe = next_sqe();
  if (sqe == nullptr) return false;
  words_[which] = word;
  io_uring_prep_rw(kFutexWait, sqe, kFutexOf4Bytes, word.word, 0, word.value);
  sqe->addr3 = kFutexMatchAny;
  sqe->user_data = tag(which);
  ++tags_[which];
  return true;
}

void KernelWait::disarm(std::size_t which) {
  if (tags_[which] == 0) return;
  io_uring_sqe* const sqe = next_sqe();
  if (sqe == nullptr) return;
  if (which < kWord) {
    io_uring_prep_poll_remove(sqe, tag(which));
  } else {
    io_uring_prep_cancel64(sqe, tag(which), 0);
  }
  sqe->user_data = tag(kRemoval);
  ++tags_[kRemoval];
}

void KernelWait::take_own() {
  const unsigned count = io_uring_cq_ready(ring_);
  if (count == 0 || !expects_own()) return;
  const unsigned shift = (ring_->flags & IORING_SETUP_CQE32) != 0 ? 1 : 0;
  const std::size_t size = sizeof(io_uring_cqe) << shift;
  const auto at = [&](unsigned position) {
    return &ring_->cq.cqes[(position & *ring_->cq.kring_mask) << shift];
  };
  const unsigned head = *ring_->cq.khead;
  unsigned taken = 0;
  for (unsigned n = 0; n < count; ++n) {
    const io_uring_cqe* const completion = at(head + n);
    if (!owns(*completion)) continue;
    note(*completion);
    for (unsigned m = n; m > taken; --m) std::memcpy(at(head + m), at(head + m - 1), size);
    ++taken;
  }
  io_uring_cq_advance(ring_, taken);
}

// Without the queue of submissions, in which the application's may lie. False: it may be armed
// yet; kernels before 6.0 cannot do this.
bool KernelWait::take_back(std::size_t which) {
  if (tags_[which] == 0) return true;
  io_uring_sync_cancel_reg cancel{};
  cancel.addr = tag(which);
  cancel.fd = -1;
  cancel.timeout.tv_nsec = 100'000'000;
  const int cancelled = io_uring_register_sync_cancel(ring_, &cancel);
  // What is not found is complete, or was never submitted.
  if (cancelled == -ENOENT && io_uring_get_events(ring_) >= 0) take_own();
  return cancelled >= 0 || cancelled == -EALREADY || tags_[which] == 0;
}

// What was submitted is begun, before which it cannot be found. Only a thread of the kernel takes
// its time, and sleeps when there was nothing for long; what is prepared and not submitted waits
// on.
void KernelWait::let_begin() {
  if ((ring_->flags & IORING_SETUP_SQPOLL) == 0 || ring_->ring_fd < 0) return;
  const unsigned submitted = *ring_->sq.ktail;
  for (int waited = 0; waited < kPatience_ms; ++waited) {
    if (io_uring_smp_load_acquire(ring_->sq.khead) == submitted) return;
    const auto fd = static_cast<unsigned>(ring_->ring_fd);
    if (io_uring_enter(fd, 0, 0, IORING_ENTER_SQ_WAKEUP, nullptr) < 0) return;
    std::ignore = ::poll(nullptr, 0, 1);
  }
}

// The application's ring is left as it was found. It may be broken, and then stays as it is.
void KernelWait::leave() {
  let_begin();
  take_own();
  bool submits = false;
  for (std::size_t which = 0; which < kTags; ++which) {
    if (which == kRemoval || which == kClaimed || take_back(which)) continue;
    disarm(which);
    submits = true;
  }
  for (int waited = 0; expects_own() && waited < kPatience_ms; ++waited) {
    if (submits && io_uring_submit(ring_) < 0) return;
    if (io_uring_get_events(ring_) < 0) return;
    take_own();
    pollfd ready{.fd = ring_->ring_fd, .events = POLLIN, .revents = 0};
    if (expects_own()) std::ignore = ::poll(&ready, 1, 1);
  }
}

// --- The application's operations --------------------------------------------------------

Status KernelWait::submit_some() {
  const int submitted = io_uring_submit(ring_);
  return submitted < 0 ? refused(submitted, "the kernel takes no submissions") : Status{};
}

bool KernelWait::has_completions() {
  if (ring_ == nullptr) return false;
  // Some rings complete only when they are entered.
  const unsigned flags = IO_URING_READ_ONCE(*ring_->sq.kflags) | untold_;
  if ((flags & (kTold | kUntold)) != 0) enter(flags);
  take_own();
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
  if (sleeps_in_ring(transfers)) {
    if (!arm(words)) return refused(-EBUSY, "the kernel's queue is full");
    if (transfers.ring_fd >= 0 && !arm(kTransfers, transfers.ring_fd)) {
      return refused(-EBUSY, "the kernel's queue is full");
    }
    return sleep_in_ring(most);
  }
  if (Status s = submit(); !s) return s;
  return sleep_in_poll(most, transfers);
}

Status KernelWait::set_timer(std::optional<Nanoseconds> most) {
  itimerspec when{};
  if (most) when.it_value = split<timespec>(*most);
  // Setting it takes back a former expiry.
  if (::timerfd_settime(timer_fd_, 0, &when, nullptr) < 0) return refused(-errno, "no timer");
  if (most && !arm(kTimer, timer_fd_)) return refused(-EBUSY, "the kernel's queue is full");
  return {};
}

Status KernelWait::sleep_in_ring(std::optional<Nanoseconds> most) {
  if (!arm(kEvent, event_fd_)) return refused(-EBUSY, "the kernel's queue is full");
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
  take_own();
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
