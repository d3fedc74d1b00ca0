// Gap: when somebody who polls looks: how long he is quiet ahead of his first look behind an
// answer, and how long he waits between two looks; by how long what he waits for takes to come.
//
//   gap.polls(now, is_ready);
//   gap.await(next.slot(), true);
//   taken = poll(gap.budget(most), &gap);        // rest() ahead of a second look.
//   gap.polled(taken, now);
//
// Whoever looks takes the line from its writer, if that has asked for it ahead (next_answer.h), and
// the writer has to ask once more. So who sends a message, and waits for the answer, looks when it
// is most likely there; where it takes long, across caches, the looks behind that come seldom, too.
// When that is is counted from where the message has left: once a line was taken from it, a side
// that counts from its own call is early again each time, and takes the next one.
// How long is best is the program's and the processor's, and learned: most answers are to be there
// at the first look, for an early one costs more than a late one, but not all.
// Messages that come in turn come by themselves, and the next slot, of which the peer has asked for
// the line as well, is not looked at behind one.
//
// Some waits are timed, one of many, and without being quiet, for the looks say nothing of it:
// across caches each may take as long as the answer. Where something is there when such a wait
// begins nobody takes turns. One wait alone decides nothing, for either side may have been called
// away.
//
// Threads: the engine's. Lifetime: a value. Errors: none. Tests: gap_test.cc.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/pause.h"
#include "transport/lull.h"

namespace comch::transport {

class Gap {
 public:
  static constexpr int kShort = 1;
  static constexpr int kLong = 3;  // 60 ns, where a PAUSE takes 20.
  // Of a long wait. Within one cache an answer takes 100 ns, and across caches more than 300.
  static constexpr std::uint64_t kFar_ns = 200;
  // Of so many calls that bring something one is timed, which takes two looks at the clock. A
  // number that no program counts its messages by: what it does at each 64th is not to be timed
  // alone.
  static constexpr std::uint32_t kEvery = 61;
  // In so many such calls a few are timed that agree, and what they say is taken to be so.
  static constexpr std::uint32_t kLearned = 3 * kEvery;

  // Ahead of a late first look, at most: the answer is being written when the look comes to its
  // writer. Shorter, and that has to ask for its line once more; longer is a part of the wait.
  static constexpr std::uint32_t kNearQuiet_ns = 36;
  static constexpr std::uint32_t kFarQuiet_ns = 100;
  // Of so many timed waits one measures a Lull, and so does the next while there is more to learn.
  static constexpr std::uint32_t kMeasures = 64;

  // Of what pause() does, between two looks.
  int pauses() const { return pauses_; }
  // Between two looks of one call.
  void rest() {
    was_early_ = was_early_ || behind_quiet_;
    pause(pauses_);
  }
  bool is_far() const { return pauses_ == kLong; }

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
    if (any && --left_ == 0) [[unlikely]]
      end_wait(now);
  }

  // What is waited for answers what went into this slot (NextAnswer); null: nothing is. In between
  // polls() and the look; behind it the answer comes by itself if messages come in turn. True: it
  // was quiet for it, as it is once for each slot, unless `may_be_late` is false.
  bool await(const std::byte* slot, bool may_be_late) {
    awaits_ = slot != nullptr && in_turn_ && left_ != 1;
    behind_quiet_ = false;
    if (!awaits_ || !may_be_late || slot == kept_) return false;
    be_quiet(slot);
    return true;
  }
  // Of kNearQuiet_ns, so many of the shortest pauses are left off.
  std::uint32_t haste() const { return haste_.pauses(); }
  // Of a look that might take `most`: of an answer that comes by itself, 1.
  std::size_t budget(std::size_t most) const { return awaits_ ? 1 : most; }

 private:
  // What most of the last waits said.
  class Habit {
   public:
    bool learn(bool so) {
      so_ = std::clamp(so_ + (so ? 1 : -1), 0, kMost);
      return 2 * so_ > kMost;
    }

   private:
    static constexpr int kMost = kLearned / kEvery;
    int so_ = 0;
  };

  // Pauses that are left off a quiet, as far as three answers of four are there behind it.
  class Haste {
   public:
    std::uint32_t pauses() const { return pauses_; }
    // Of a quiet of so many pauses in all.
    void learn(bool was_early, std::uint32_t all) {
      late_ += was_early ? -3 : 1;
      if (late_ == kMost && pauses_ + 1 < all) {
        ++pauses_;
      } else if (late_ <= -kMost && pauses_ != 0) {
        --pauses_;
      } else if (late_ > -kMost && late_ < kMost) {
        return;
      }
      late_ = 0;
    }

   private:
    static constexpr int kMost = 128;
    int late_ = 0;  // By how much it was more often late than early.
    std::uint32_t pauses_ = 0;
  };

  template <class Now>
  [[gnu::noinline]] void end_wait(Now now) {
    pauses_ = far_.learn(now() - begin_ns_ >= kFar_ns) ? kLong : kShort;
    in_turn_ = turns_.learn(!was_ready_);
    begin_ns_ = 0;
    left_ = kEvery;
    if (--until_measured_ == 0) measure(now);
  }
  template <class Now>
  void measure(Now now) {
    const std::uint64_t sample = Lull::sample(now);
    const bool near = near_quiet_.learn(sample);
    const bool far = far_quiet_.learn(sample);
    until_measured_ = near || far ? 1 : kMeasures;
  }
  [[gnu::noinline]] void be_quiet(const std::byte* slot) {
    kept_ = slot;
    // What the last one was like is looked at here: behind its look there was a message to answer.
    if (!is_far()) haste_.learn(was_early_, near_quiet_.pauses());
    was_early_ = false;
    behind_quiet_ = true;
    drain_stores();
    if (is_far()) {
      far_quiet_.keep();
    } else {
      near_quiet_.keep(haste_.pauses());
    }
  }

  int pauses_ = kShort;
  bool in_turn_ = false;  // Messages come in turn.
  bool awaits_ = false;
  bool was_ready_ = false;           // As the timed wait began.
  bool behind_quiet_ = false;        // This call was quiet,
  bool was_early_ = false;           // and had to look again; or the last one that was quiet.
  const std::byte* kept_ = nullptr;  // Quiet for. Never looked at.
  std::uint32_t left_ = kEvery;  // Calls that bring something, up to the end of the next timed one.
  std::uint64_t begin_ns_ = 0;   // Of that; 0: it has not begun.
  Habit far_;
  Habit turns_;
  Haste haste_;
  Lull near_quiet_{kNearQuiet_ns};
  Lull far_quiet_{kFarQuiet_ns};
  std::uint32_t until_measured_ = 1;  // Timed waits.
};

}  // namespace comch::transport
