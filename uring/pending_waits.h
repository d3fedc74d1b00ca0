// PendingWaits: what a KernelWait has under way in an io_uring: polls, and waits for words.
//
// A poll (POLL_ADD) is of a descriptor, for once; one that has not ended is not begun again. A word
// of memory that peers change is waited for by FUTEX_WAIT, where the kernel has it (6.7); of a word
// that has not changed the wait stays in the kernel, for the next sleep. What is begun lies in the
// queue of submissions until its owner submits.
//
// Their completions lie in the ring's queue, which may be the application's. They are taken out of
// it, wherever they are, before anybody looks: entries ahead of one move up by a place, which is
// ours to do, because the kernel never reads the queue and writes only behind its tail.
//
// Threads: the ring's. Lifetime: the io_uring and the words outlive it, or leave() or forget() ends
// it; descriptors may be closed at any time.
// Errors: false where the queue of submissions has no room, which is the application's doing.
#pragma once

#include <liburing.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "comch/wake_word.h"

namespace comch::uring {

class PendingWaits {
 public:
  // At a time.
  static constexpr std::size_t kMaxWords = 8;
  // Who is polled: one descriptor of each.
  enum Polled : std::uint8_t { kEvent, kTimer, kTransfers };

  // Of kernels that can, the ring may refuse yet: see words_work().
  static bool can_wait_for_words(io_uring& ring);

  // Until the ring has refused one.
  bool polls_work() const { return polls_work_; }
  bool words_work() const { return words_work_; }

  [[nodiscard]] bool poll(io_uring& ring, Polled which, int fd);
  // At most kMaxWords.
  [[nodiscard]] bool wait_for(io_uring& ring, std::span<const WakeWord> words);

  // Whether a completion is ours; if so it is noted, once, and whoever has it may drop it.
  bool claim(io_uring_cqe& completion);
  // Takes those out of the queue that have come.
  void take(io_uring& ring);
  // Ends all, without the queue of submissions; their completions come. Of kernels before 6.0 they
  // go on until what they wait for comes.
  void withdraw(io_uring& ring);
  // Ends all, and waits until the ring is as it was found. One that is broken stays as it is.
  void leave(io_uring& ring);
  // They are another process's.
  void forget() {
    under_way_ = {};
    expected_ = 0;
  }

 private:
  // What user_data of ours says, by its address.
  enum Tag : std::uint8_t { kRemoval = kTransfers + 1, kClaimed, kWord };
  static constexpr std::size_t kTags = kWord + kMaxWords;  // The last ones: of each word.

  std::uint64_t tag(std::size_t which) const {
    return reinterpret_cast<std::uintptr_t>(&under_way_[which]);
  }
  bool owns(const io_uring_cqe& completion) const {
    return completion.user_data >= tag(0) && completion.user_data <= tag(kTags - 1);
  }
  std::uint64_t begun(std::size_t which);
  void note(const io_uring_cqe& completion);
  std::size_t tag_for(const WakeWord& word, std::span<const WakeWord> words) const;
  bool wait_for(io_uring& ring, const WakeWord& word, std::size_t which);
  void remove(io_uring& ring, std::size_t which);
  int cancel_now(io_uring& ring, std::size_t which) const;
  bool cancel(io_uring& ring, std::size_t which);

  bool polls_work_ = true;
  bool words_work_ = true;
  std::array<std::uint8_t, kTags> under_way_{};  // How many of each are to complete.
  std::uint32_t expected_ = 0;                   // Of all of them.
  std::array<WakeWord, kTags> words_{};          // Of each tag of a word that which is waited for.
};

}  // namespace comch::uring
