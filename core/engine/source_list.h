// SourceList: which sources progress() polls, and which sleep.
//
// The cost of progress() follows the sources that have something to do. A few quiet ones
// stay hot, so that a program that busy-polls one or two connections never pays for a
// wake-up; beyond kHotWhenQuiet of them, those that were quiet between two calls of
// settle() are put to sleep.
//
// Threads: the engine's. Lifetime: a source is removed before it is destroyed; remove()
// may be called from inside poll(), also of the source being polled.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "engine/source.h"

namespace comch::engine {

class SourceList {
 public:
  // Quiet sources that stay hot all the same; picked, not tuned: a poll of a quiet one
  // costs 2-3 ns, a wake-up costs its peer a system call.
  static constexpr std::size_t kHotWhenQuiet = 4;

  void make_hot(Source& source);
  void remove(Source& source);
  static Attention attention(const Source& source) { return source.notes.attention; }

  // While others are busy, quiet sources are polled in one call of so many.
  static constexpr int kCallsWithoutQuiet = 8;

  // Polls hot sources; true when something happened. False: every one was polled, and none had
  // anything. Those that were quiet between the last two calls of settle() may be left out of a
  // call in which another had.
  bool poll();
  // Whether a hot one has something to do.
  bool any_ready() const;

  // Called from time to time by an engine that keeps polling: puts quiet sources to sleep,
  // and tells the others' peers that nobody sleeps here when `relax` says so.
  void settle(bool relax);

  // Before the engine sleeps: arms every hot source that is heeded. `words`: those that change
  // when some of them have something to do; as many as there is room for are added, and then they
  // are to be waited for, too. True when one of the sources has something to do after all, so that
  // the engine must not sleep.
  struct Words {
    std::span<WakeWord> room;
    std::size_t count = 0;
  };
  bool arm_all(Words& words);
  bool arm_all() {
    Words none;
    return arm_all(none);
  }
  // After it slept: takes that back.
  void disarm_all();

  // Which of the sources that the application reads are heeded by arm_all(): from heed_none() on
  // those that heed() names, from heed_all() on every one, as at first. One that is not is not
  // armed either: it stays hot, and is looked at when it is heeded again.
  void heed_none() { heeding_ = ++heedings_; }
  void heed(Source& source) const { source.notes.heeding = heeding_; }
  void heed_all() { heeding_ = kHeedAll; }
  bool heeds(const Source& source) const {
    return heeding_ == kHeedAll || !source.is_read() || source.notes.heeding == heeding_;
  }

  std::size_t hot() const { return hot_count_; }

 private:
  static constexpr std::uint64_t kHeedAll = 0;

  void arm(Source& source, bool& needs_membarrier);
  void ask_for_word(Source& source, Words& words);
  void disarm(Source& source);
  bool poll(std::size_t from, std::size_t to);
  // Sources that are quiet are asked by one load, and not by a call.
  static bool is_silent(Source& source) {
    if (!source.notes.sign) return false;
    if (source.notes.sign.is_quiet()) return true;
    source.notes.sign = {};
    return false;
  }
  void put_quiet_behind();
  void compact();

  std::vector<Source*> hot_;  // Null where a source was removed during poll(). The quiet behind.
  std::size_t first_quiet_ = 0;
  int calls_without_quiet_ = kCallsWithoutQuiet;
  std::size_t hot_count_ = 0;
  std::uint64_t heeding_ = kHeedAll;  // Its number; they do not come round.
  std::uint64_t heedings_ = kHeedAll;
  std::uint64_t numbers_ = 0;  // Of sources, given so far.
  bool polling_ = false;
  bool holes_ = false;
};

inline bool SourceList::poll() {
  polling_ = true;
  // Sources made hot by a callback are behind `count` and wait for the next call.
  const std::size_t count = hot_.size();
  const std::size_t quiet = std::min(first_quiet_, count);
  bool did = poll(0, quiet);
  if (quiet != count && (!did || --calls_without_quiet_ == 0)) {
    calls_without_quiet_ = kCallsWithoutQuiet;
    if (poll(quiet, count)) {
      did = true;
      first_quiet_ = hot_.size();
    }
  }
  polling_ = false;
  if (holes_) [[unlikely]]
    compact();
  return did;
}

inline bool SourceList::poll(std::size_t from, std::size_t to) {
  bool did = false;
  for (std::size_t i = from; i < to; ++i) {
    Source* source = hot_[i];
    if (source == nullptr || is_silent(*source) || !source->poll()) continue;
    did = true;
    if (hot_[i] == source) source->notes.active = true;
  }
  return did;
}

}  // namespace comch::engine
