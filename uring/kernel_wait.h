// KernelWait: how a Ring sleeps: in its own io_uring, in the application's, or in poll().
//
// What it waits for is a descriptor (ProgressEngine::event_fd()), the application's completions,
// transfers (their io_uring, or descriptors where they have none), and the time. In an io_uring the
// descriptor is a POLL_ADD, armed together with the wait by one io_uring_enter(); the time is that
// call's argument, or, where the kernel knows none (before 5.11), a timer descriptor that is polled
// as well. Where the ring refuses to poll or there is none at all, it is poll() of all of them.
//
// Words of memory that peers change (ProgressEngine::request_notification()) are waited for beside
// it, where the kernel can (pending_waits.h): it costs a peer less to wake us so.
//
// An operation of the application's that drains (IOSQE_IO_DRAIN) would wait for what we have under
// way, and what we begin behind it would not begin. When one is seen what is under way is ended,
// ahead of its submission, and from there on waits are poll().
//
// Some rings complete only while their thread is in the kernel. Those that say when they are to be
// entered (IORING_SETUP_TASKRUN_FLAG) are entered then, the others every so many looks, and ahead
// of a sleep by the sleep itself. poll() does not tell of what waits in a ring that defers it
// (IORING_SETUP_DEFER_TASKRUN): beside poll() such a ring is looked at every millisecond.
//
// Threads: the ring's. Lifetime: the descriptor and a ring that is joined outlive it.
// Errors: operating_system, with errno. not_supported: see create().
#pragma once

#include <liburing.h>
#include <poll.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "comch/result.h"
#include "comch/wake_word.h"
#include "drains.h"
#include "pending_waits.h"

namespace comch::uring {

class KernelWait {
 public:
  struct Options {
    io_uring* join = nullptr;
    std::uint32_t entries = 64;
    bool without_ring = false;
    bool without_timeout_argument = false;
    bool without_words = false;
  };
  // At a time; others' peers wake us by the descriptor.
  static constexpr std::size_t kMaxWords = PendingWaits::kMaxWords;

  // not_supported: nothing can wait in that ring (IORING_SETUP_IOPOLL: it completes only while
  // somebody looks), or its completions are of several sizes (IORING_SETUP_CQE_MIXED).
  static Result<std::unique_ptr<KernelWait>> create(int event_fd, const Options& options);
  KernelWait(int event_fd, const Options& options);
  ~KernelWait();
  KernelWait(const KernelWait&) = delete;
  KernelWait& operator=(const KernelWait&) = delete;

  io_uring* ring() { return ring_; }
  bool is_joined() const { return ring_ != nullptr && ring_ != &own_ring_; }
  bool has_timeout_argument() const { return timeout_argument_; }
  bool waits_for_words() const { return words_ && waits_.words_work() && !drains_.any(); }
  // Whether a completion is ours; if so it is noted, once, and whoever has it may drop it.
  bool claim(io_uring_cqe& completion) { return waits_.claim(completion); }

  // What the application has prepared.
  bool has_submissions() const { return ring_ != nullptr && io_uring_sq_ready(ring_) != 0; }
  Status submit() {
    if (ring_ != nullptr && drains_.has_news(*ring_)) [[unlikely]]
      heed_drains();
    return has_submissions() ? submit_some() : Status();
  }
  // Whether completions of the application are there. Ours are not among them any more.
  bool has_completions();
  // The same, and no completion is missed because the ring has to be entered for it.
  bool has_late_completions();
  // Of transfers that are under way.
  struct Transfers {
    int ring_fd = -1;                     // Has completions of theirs, or
    std::span<const pollfd> descriptors;  // they are for one of these.
  };
  // How many words the next sleep() can wait for.
  std::size_t most_words(const Transfers& transfers) const {
    return waits_for_words() && sleeps_in_ring(transfers) ? kMaxWords : 0;
  }
  // Until the descriptor is readable, one of the words is another one, a completion is there, or so
  // much time has passed. May be shorter: it is over at once when there are words, and none can be
  // waited for since most_words() was asked.
  Status sleep(std::optional<std::chrono::nanoseconds> most, const Transfers& transfers,
               std::span<const WakeWord> words);
  // In a process that was forked: gives nothing back to the ring, which is the parent's.
  void forget();

 private:
  Status submit_some();
  void heed_drains();
  bool sleeps_in_ring(const Transfers& transfers) const {
    return ring_ != nullptr && waits_.polls_work() && transfers.descriptors.empty() &&
           !drains_.any();
  }
  Status set_timer(std::optional<std::chrono::nanoseconds> most);
  Status sleep_in_ring(std::optional<std::chrono::nanoseconds> most);
  Status sleep_in_poll(std::optional<std::chrono::nanoseconds> most, const Transfers& transfers);
  void enter(unsigned flags);
  bool is_told_by_poll() const;

  const int event_fd_;
  io_uring own_ring_{};
  io_uring* ring_ = nullptr;
  int timer_fd_ = -1;
  bool timeout_argument_ = false;
  bool words_ = false;          // The kernel can wait for them.
  unsigned untold_ = 0;         // kUntold: of a ring that does not say when to enter it.
  unsigned looks_ = 0;          // At such a ring, since it was made.
  PendingWaits waits_;          // In the ring.
  Drains drains_;               // There.
  std::vector<pollfd> polled_;  // What poll() waits for.
};

}  // namespace comch::uring
