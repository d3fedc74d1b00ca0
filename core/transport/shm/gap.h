// Gap: how long an empty poll of a caller that polls by itself waits before it looks again, by how
// long what it waits for takes to come.
//
//   gap.polls(now);  taken = poll(gap.pauses());  gap.polled(taken, now);
//
//   gap.polls(now);
//   if (gap.is_far()) gap.keep_quiet(next.slot());  // Or by a first look that is late.
//   shown = view();  gap.polled(shown, now);
//
// Whoever looks takes the line from its writer, if that has asked for it ahead (next_answer.h): of
// a peer whose answers take several hundred nanoseconds, across caches, most looks between do
// nothing but that. Of one beside ours an answer is there within a few looks, and a longer gap
// would be a part of what it takes. So the gap is longer where the waits are long.
//
// Some waits are timed, one of many, for the looks say nothing of it: across caches each may take
// as long as the answer.
//
// Threads: the engine's. Lifetime: a value. Errors: none. Tests: gap_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/pause.h"

namespace comch::transport::shm {

class Gap {
 public:
  static constexpr int kShort = 1;
  static constexpr int kLong = 3;  // 60 ns, where a PAUSE takes 20.
  // Of a long wait. Within one cache an answer takes 100 ns, and across caches more than 300.
  static constexpr std::uint64_t kFar_ns = 200;
  // Of so many calls that bring something one is timed, which takes two looks at the clock.
  static constexpr std::uint32_t kEvery = 64;

  // Short pauses ahead of a late first look, 115 ns: the answer is being written when the look
  // comes to its writer. Four less, and that has to ask for its line once more; more are a part of
  // the wait.
  static constexpr int kQuiet = 13;

  // Of what pause() does, between two looks.
  int pauses() const { return pauses_; }
  bool is_far() const { return pauses_ == kLong; }
  // Once for each answer, which goes into this slot (NextAnswer); null: none is expected. True: it
  // was quiet.
  [[gnu::noinline]] bool keep_quiet(const std::byte* slot) {
    if (slot == nullptr || slot == kept_) return false;
    kept_ = slot;
    for (int left = kQuiet; left != 0; --left) short_pause();
    return true;
  }

  // Ahead of a call and behind it; `now` answers nanoseconds.
  template <class Now>
  void polls(Now now) {
    if (left_ == 1 && begin_ns_ == 0) [[unlikely]]
      begin_ns_ = now();
  }
  template <class Now>
  void polled(bool any, Now now) {
    if (!any || --left_ != 0) [[likely]]
      return;
    pauses_ = now() - begin_ns_ < kFar_ns ? kShort : kLong;
    begin_ns_ = 0;
    left_ = kEvery;
  }

 private:
  int pauses_ = kShort;
  const std::byte* kept_ = nullptr;  // Kept quiet for. Never looked at.
  std::uint32_t left_ = kEvery;  // Calls that bring something, up to the end of the next timed one.
  std::uint64_t begin_ns_ = 0;   // Of that; 0: it has not begun.
};

}  // namespace comch::transport::shm
