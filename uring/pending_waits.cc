// PendingWaits: see pending_waits.h.
#include "pending_waits.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <tuple>

namespace comch::uring {

namespace {

constexpr int kPatience_ms = 1000;

// Newer than the headers may be: FUTEX_WAIT, and a futex of 4 bytes of shared memory.
constexpr std::uint8_t kFutexWait = 51;
constexpr int kFutexOf4Bytes = 2;
constexpr std::uint64_t kFutexMatchAny = 0xffff'ffff;

io_uring_sqe* next_sqe(io_uring& ring) {
  io_uring_sqe* sqe = io_uring_get_sqe(&ring);
  if (sqe != nullptr) return sqe;
  // The application has filled the queue.
  if (io_uring_submit(&ring) < 0) return nullptr;
  sqe = io_uring_get_sqe(&ring);
  if (sqe != nullptr || (ring.flags & IORING_SETUP_SQPOLL) == 0) return sqe;
  // A thread of the kernel empties it, at its own time. Whoever waits for that is sent back early
  // for a signal, and for completions that are to be seen to.
  constexpr int kTries = 1000;
  for (int tries = 0; sqe == nullptr && tries < kTries; ++tries) {
    if (io_uring_sqring_wait(&ring) < 0) return nullptr;
    sqe = io_uring_get_sqe(&ring);
  }
  return sqe;
}

// What was submitted is begun, before which it cannot be found. Only a thread of the kernel takes
// its time, and sleeps when there was nothing for long; what is prepared and not submitted waits
// on.
void let_begin(io_uring& ring) {
  if ((ring.flags & IORING_SETUP_SQPOLL) == 0 || ring.ring_fd < 0) return;
  const unsigned submitted = *ring.sq.ktail;
  for (int waited = 0; waited < kPatience_ms; ++waited) {
    if (io_uring_smp_load_acquire(ring.sq.khead) == submitted) return;
    const auto fd = static_cast<unsigned>(ring.ring_fd);
    if (io_uring_enter(fd, 0, 0, IORING_ENTER_SQ_WAKEUP, nullptr) < 0) return;
    std::ignore = ::poll(nullptr, 0, 1);
  }
}

}  // namespace

bool PendingWaits::can_wait_for_words(io_uring& ring) {
  io_uring_probe* const probe = io_uring_get_probe_ring(&ring);
  if (probe == nullptr) return false;
  // liburing's own question knows operations of its headers alone.
  const bool known =
      kFutexWait <= probe->last_op && (probe->ops[kFutexWait].flags & IO_URING_OP_SUPPORTED) != 0;
  io_uring_free_probe(probe);
  return known;
}

// --- Begun -------------------------------------------------------------------------------

bool PendingWaits::poll(io_uring& ring, Polled which, int fd) {
  if (under_way_[which] != 0) return true;
  io_uring_sqe* const sqe = next_sqe(ring);
  if (sqe == nullptr) return false;
  io_uring_prep_poll_add(sqe, fd, POLLIN);
  sqe->user_data = begun(which);
  return true;
}

// Waits that go on in the kernel are found again by whose word it is.
bool PendingWaits::wait_for(io_uring& ring, std::span<const WakeWord> words) {
  return std::ranges::all_of(
      words, [&](const WakeWord& word) { return wait_for(ring, word, tag_for(word, words)); });
}

// Its own; else a free one; else that of a word which is waited for no more.
std::size_t PendingWaits::tag_for(const WakeWord& word, std::span<const WakeWord> words) const {
  std::size_t other = kTags;
  for (std::size_t which = kWord; which < kTags; ++which) {
    const std::uint64_t source = words_[which].source;
    if (source == word.source) return which;
    const bool wanted = std::ranges::find(words, source, &WakeWord::source) != words.end();
    if (!wanted && (other == kTags || under_way_[other] != 0)) other = which;
  }
  return other;
}

bool PendingWaits::wait_for(io_uring& ring, const WakeWord& word, std::size_t which) {
  // Of another word, or of before its last change.
  const WakeWord& last = words_[which];
  if (under_way_[which] != 0) {
    if (last.source == word.source && last.value == word.value) return true;
    remove(ring, which);
  }
  io_uring_sqe* const sqe = next_sqe(ring);
  if (sqe == nullptr) return false;
  words_[which] = word;
  io_uring_prep_rw(kFutexWait, sqe, kFutexOf4Bytes, word.word, 0, word.value);
  sqe->addr3 = kFutexMatchAny;
  sqe->user_data = begun(which);
  return true;
}

// --- Completed ---------------------------------------------------------------------------

std::uint64_t PendingWaits::begun(std::size_t which) {
  ++under_way_[which];
  ++expected_;
  return tag(which);
}

bool PendingWaits::claim(io_uring_cqe& completion) {
  if (!owns(completion)) return false;
  note(completion);
  // What was noted is not noted again, should it stay in the queue.
  completion.user_data = tag(kClaimed);
  return true;
}

void PendingWaits::note(const io_uring_cqe& completion) {
  const auto which = completion.user_data - tag(0);
  if (which == kClaimed) return;
  --under_way_[which];
  --expected_;
  if (completion.res >= 0 || completion.res == -ECANCELED || which == kRemoval) return;
  if (which < kWord) {
    polls_work_ = false;
  } else if (completion.res != -EAGAIN && completion.res != -EINTR) {
    words_work_ = false;
  }
}

void PendingWaits::take(io_uring& ring) {
  const unsigned count = io_uring_cq_ready(&ring);
  if (count == 0 || expected_ == 0) return;
  const unsigned shift = (ring.flags & IORING_SETUP_CQE32) != 0 ? 1 : 0;
  const std::size_t size = sizeof(io_uring_cqe) << shift;
  const auto at = [&](unsigned position) {
    return &ring.cq.cqes[(position & *ring.cq.kring_mask) << shift];
  };
  const unsigned head = *ring.cq.khead;
  unsigned taken = 0;
  for (unsigned n = 0; n < count; ++n) {
    const io_uring_cqe* const completion = at(head + n);
    if (!owns(*completion)) continue;
    note(*completion);
    for (unsigned m = n; m > taken; --m) std::memcpy(at(head + m), at(head + m - 1), size);
    ++taken;
  }
  io_uring_cq_advance(&ring, taken);
}

// --- Ended -------------------------------------------------------------------------------

void PendingWaits::remove(io_uring& ring, std::size_t which) {
  if (under_way_[which] == 0) return;
  io_uring_sqe* const sqe = next_sqe(ring);
  if (sqe == nullptr) return;
  if (which < kWord) {
    io_uring_prep_poll_remove(sqe, tag(which));
  } else {
    io_uring_prep_cancel64(sqe, tag(which), 0);
  }
  sqe->user_data = begun(kRemoval);
}

// Without the queue of submissions, in which the application's may lie.
int PendingWaits::cancel_now(io_uring& ring, std::size_t which) const {
  io_uring_sync_cancel_reg cancel{};
  cancel.addr = tag(which);
  cancel.fd = -1;
  cancel.timeout.tv_nsec = 100'000'000;
  return io_uring_register_sync_cancel(&ring, &cancel);
}

void PendingWaits::withdraw(io_uring& ring) {
  let_begin(ring);
  for (std::size_t which = 0; which < kTags; ++which) {
    if (under_way_[which] != 0) std::ignore = cancel_now(ring, which);
  }
}

// False: it may be under way yet; kernels before 6.0 cannot do this.
bool PendingWaits::cancel(io_uring& ring, std::size_t which) {
  if (under_way_[which] == 0) return true;
  const int cancelled = cancel_now(ring, which);
  // What is not found is complete, or was never submitted.
  if (cancelled == -ENOENT && io_uring_get_events(&ring) >= 0) take(ring);
  return cancelled >= 0 || cancelled == -EALREADY || under_way_[which] == 0;
}

void PendingWaits::leave(io_uring& ring) {
  let_begin(ring);
  take(ring);
  bool submits = false;
  for (std::size_t which = 0; which < kTags; ++which) {
    if (which == kRemoval || which == kClaimed || cancel(ring, which)) continue;
    remove(ring, which);
    submits = true;
  }
  for (int waited = 0; expected_ != 0 && waited < kPatience_ms; ++waited) {
    if (submits && io_uring_submit(&ring) < 0) return;
    if (io_uring_get_events(&ring) < 0) return;
    take(ring);
    pollfd ready{.fd = ring.ring_fd, .events = POLLIN, .revents = 0};
    if (expected_ != 0) std::ignore = ::poll(&ready, 1, 1);
  }
}

}  // namespace comch::uring
