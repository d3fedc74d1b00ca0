// KernelWait: how a Ring sleeps: in its own io_uring, in the application's, or in poll().
//
// What it waits for is a descriptor (ProgressEngine::event_fd()), the application's completions,
// transfers (their io_uring, or descriptors where they have none), and the time. In an io_uring the
// descriptor is a POLL_ADD, armed together with the wait by one io_uring_enter(); the time is that
// call's argument, or, where the kernel knows none (before 5.11), a timer descriptor that is polled
// as well. Where the ring refuses to poll or there is none at all, it is poll() of all of them.
//
// Words of memory that peers change (ProgressEngine::request_notification()) are waited for by
// FUTEX_WAIT in the io_uring, where the kernel has it (6.7): it costs a peer less to wake us so. Of
// those that have not changed the wait stays in the kernel, for the next sleep.
//
// Some rings complete only while their thread is in the kernel. Those that say when they are to be
// entered (IORING_SETUP_TASKRUN_FLAG) are entered then, the others every so many looks, and ahead
// of a sleep by the sleep itself. poll() does not tell of what waits in a ring that defers it
// (IORING_SETUP_DEFER_TASKRUN): beside poll() such a ring is looked at every millisecond.
//
// The completions of these polls lie in the application's queue. They are taken out of it,
// wherever they are, before anybody looks: entries ahead of one move up by a place, which is
// ours to do, because the kernel never reads the queue and writes only behind its tail.
//
// Threads: the ring's. Lifetime: the descriptor and a ring that is joined outlive it.
// Errors: operating_system, with errno. not_supported: see create().
#pragma once

#include <liburing.h>
#include <poll.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "comch/result.h"
#include "comch/wake_word.h"

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
  static constexpr std::size_t kMaxWords = 8;

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
  bool waits_for_words() const { return words_work_; }
  // Whether a completion is ours; if so it is noted, once, and whoever has it may drop it.
  bool claim(io_uring_cqe& completion);

  // What the application has prepared.
  bool has_submissions() const { return ring_ != nullptr && io_uring_sq_ready(ring_) != 0; }
  Status submit() { return has_submissions() ? submit_some() : Status(); }
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
    return words_work_ && sleeps_in_ring(transfers) ? kMaxWords : 0;
  }
  // Until the descriptor is readable, one of the words is another one, a completion is there, or so
  // much time has passed. May be shorter.
  Status sleep(std::optional<std::chrono::nanoseconds> most, const Transfers& transfers,
               std::span<const WakeWord> words);
  // In a process that was forked: gives nothing back to the ring, which is the parent's.
  void forget();

 private:
  // What user_data of ours says, by its address.
  enum Tag : std::uint8_t { kEvent, kTimer, kTransfers, kRemoval, kClaimed, kWord };
  static constexpr std::size_t kTags = kWord + kMaxWords;  // The last ones: of each word.

  Status submit_some();
  std::uint64_t tag(std::size_t which) const {
    return reinterpret_cast<std::uintptr_t>(&tags_[which]);
  }
  bool sleeps_in_ring(const Transfers& transfers) const {
    return ring_ != nullptr && ring_polls_ && transfers.descriptors.empty();
  }
  io_uring_sqe* next_sqe();
  bool arm(Tag which, int fd);
  bool arm(std::span<const WakeWord> words);
  bool arm_word(std::size_t which, const WakeWord& word);
  std::size_t tag_for(const WakeWord& word, std::span<const WakeWord> words) const;
  void disarm(std::size_t which);
  Status set_timer(std::optional<std::chrono::nanoseconds> most);
  Status sleep_in_ring(std::optional<std::chrono::nanoseconds> most);
  Status sleep_in_poll(std::optional<std::chrono::nanoseconds> most, const Transfers& transfers);
  void enter(unsigned flags);
  bool is_told_by_poll() const;
  bool owns(const io_uring_cqe& completion) const;
  bool expects_own() const;
  void note(const io_uring_cqe& completion);
  void take_own();
  bool take_back(std::size_t which);
  void let_begin();
  void leave();

  const int event_fd_;
  io_uring own_ring_{};
  io_uring* ring_ = nullptr;
  int timer_fd_ = -1;
  bool timeout_argument_ = false;
  bool ring_polls_ = true;   // Until it has refused to.
  unsigned untold_ = 0;      // kUntold: of a ring that does not say when to enter it.
  unsigned looks_ = 0;       // At such a ring, since it was made.
  bool words_work_ = false;  // Until the ring has refused one.
  std::array<std::uint8_t, kTags> tags_{};  // How many of each are to complete.
  std::array<WakeWord, kTags> words_{};     // Of each tag of a word that which is waited for.
  std::vector<pollfd> polled_;              // What poll() waits for.
};

}  // namespace comch::uring
