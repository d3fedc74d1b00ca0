// Gap: when a caller that polls by itself looks: how long it is quiet ahead of its first look
// behind an answer, and how long it waits between two looks; by how long what it waits for takes to
// come.
//
//   gap.polls(now, is_ready);
//   const std::size_t most = gap.awaits(next.slot(), true) ? 1 : budget;
//   taken = poll(most, gap.pauses());  gap.polled(taken, now);
//
//   gap.polls(now, is_ready);
//   if (gap.is_far()) gap.keep_quiet(next.slot());
//   shown = view();  gap.polled(shown, now);
//
// Whoever looks takes the line from its writer, if that has asked for it ahead (next_answer.h), and
// the writer has to ask once more. So who sends a message, and waits for the answer, looks when it
// is most likely there; where it takes long, across caches, the looks behind that come seldom, too.
// When that is is counted from where the message has left: once a line was taken from it, a side
// that counts from its own call is early again each time, and takes the next one.
// Messages that come in turn come by themselves, and the next slot, of which the peer has asked for
// the line as well, is not looked at behind one.
//
// Some waits are timed, one of many, and without being quiet, for the looks say nothing of it:
// across caches each may take as long as the answer. Where something is there when such a wait
// begins nobody takes turns.
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

  // Short pauses ahead of a late first look, 36 and 90 ns: the answer is being written when the
  // look comes to its writer. Fewer, and that has to ask for its line once more; more are a part of
  // the wait.
  static constexpr int kNearQuiet = 4;
  static constexpr int kFarQuiet = 10;

  // Of what pause() does, between two looks.
  int pauses() const { return pauses_; }
  bool is_far() const { return pauses_ == kLong; }

  // Whether the next message answers what went into this slot (NextAnswer), and comes by itself.
  // Null: no answer is expected. `may_be_late`: it is quiet before it first says so.
  bool awaits(const std::byte* slot, bool may_be_late) {
    if (quiet_ == 0 || slot == nullptr) return false;
    if (may_be_late && slot != kept_) be_quiet(slot, quiet_);
    return true;
  }
  // Once for each answer of a peer that is far. True: it was quiet.
  bool keep_quiet(const std::byte* slot) {
    if (slot == nullptr || slot == kept_) return false;
    be_quiet(slot, kFarQuiet);
    return true;
  }

  // Ahead of a call and behind it; `now` answers nanoseconds, and `is_ready` whether the call would
  // bring something.
  template <class Now, class Ready>
  void polls(Now now, Ready is_ready) {
    if (left_ != 1 || begin_ns_ != 0) [[likely]]
      return;
    was_ready_ = is_ready();
    begin_ns_ = now();
  }
  template <class Now>
  void polled(bool any, Now now) {
    if (!any || --left_ > 1) [[likely]]
      return;
    quiet_ = 0;
    if (left_ == 1) return;  // The next wait is timed.
    pauses_ = now() - begin_ns_ < kFar_ns ? kShort : kLong;
    if (!was_ready_) quiet_ = is_far() ? kFarQuiet : kNearQuiet;
    begin_ns_ = 0;
    left_ = kEvery;
  }

 private:
  [[gnu::noinline]] void be_quiet(const std::byte* slot, int pauses) {
    kept_ = slot;
    drain_stores();
    for (; pauses != 0; --pauses) short_pause();
  }

  int pauses_ = kShort;
  int quiet_ = 0;                    // Short pauses; 0: answers do not come in turn.
  const std::byte* kept_ = nullptr;  // Quiet for. Never looked at.
  std::uint32_t left_ = kEvery;  // Calls that bring something, up to the end of the next timed one.
  std::uint64_t begin_ns_ = 0;   // Of that; 0: it has not begun.
  bool was_ready_ = false;       // As it began.
};

}  // namespace comch::transport::shm
