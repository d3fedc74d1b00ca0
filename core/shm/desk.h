// Desk: where the producer threads of one process get the posted buffers of one remote
// consumer. It lies in private memory and reads the consumer's PostedRing.
//
//   alone    exactly one producer has ever attached: it reads the ring, or no more than its run
//            (posted_run.h), directly, with plain loads and stores.
//   shared   from the second producer on, for ever: each has a seat with a stash of a few
//            descriptors. An empty stash is refilled from the ring; when the ring is empty
//            the others' stashes are stolen from. No locks.
//
// Nothing is stranded. A producer that stops, wherever it stops, keeps from the others what
// take() had already given it, and nothing else:
//
//   A refill writes the descriptors behind `high` of its own empty stash, and then moves the
//   position by one compare-and-swap that also says whose stash they are in and where they
//   end. From then on anyone can do what is left, which is to move that stash's `high`
//   (settle()); and nobody moves the position again, or calls the desk empty, before it is
//   done. If the swap fails, what was written lies outside of low .. high and counts for nothing.
//
//   A refill copies from the ring before the swap. The slots cannot have been overwritten if
//   the swap succeeds: the position has not moved, and no slot from the position on is
//   overwritten before it has (posted_ring.h, rule 2).
//
// From alone to shared. The sole producer says `in_take`, looks at the mode, takes, and takes
// `in_take` back, with no fence but the compiler's. The second producer stores the mode
// kSwitching, has every thread of the process execute a full fence (membarrier), and waits
// until it has seen `in_take` clear; the sole producer can end the switch itself when it
// sees the mode. Either the sole producer's store of `in_take` was ahead of that fence, and the
// second sees it; or its look at the mode was behind, and it does not take.
//
// Ordering:
//
//   DESK    swap of the position or of a stash's word (release) -> its next load or swap (acquire)
//           what was copied is copied before the word moves on, and the entries are visible.
//   SWITCH  in_take or mode store(release) -> load(acquire)
//           the sole producer's position is visible to all once the mode is kShared.
//
// Waking: put_back() and detach() may leave descriptors for siblings that sleep for them;
// waking those is the caller's, who knows who sleeps.
//
// Threads: any; a seat belongs to one at a time. Lifetime: the stashes and the ring outlive the
// desk. Errors: see each call; an impossible descriptor breaks the desk for good.
// Tests: desk_test.cc (rules; a producer stopped at every step), desk_model.cc (shared, under
// the C++ memory model), switch_model.cc (the switch, on a machine with store buffers),
// desk_threads_test.cc (under TSan).
#pragma once

#include <algorithm>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "shm/desk_words.h"
#include "shm/fast_machine.h"
#include "shm/posted_ring.h"
#include "shm/stash.h"

namespace comch::shm {

template <class Machine = FastMachine, std::uint32_t kRoom = kStashRoom>
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): lines apart on purpose.
class Desk {
 public:
  using Seat = Stash<Machine, kRoom>;
  using Reader = PostedReader<Machine, std::uint32_t>;

  // `depth`: what the consumer has posted at most. `always_fence`: the barrier given to
  // try_attach() does not reach this process's other threads, so that the sole producer has to
  // fence for itself.
  Desk(Reader reader, std::uint32_t depth, std::span<Seat> stashes, bool always_fence = false)
      : reader_(reader), depth_(depth), stashes_(stashes), always_fence_(always_fence) {
    assert(!stashes.empty() && stashes.size() <= kMaxSeats);
  }

  // Seats the calling producer; never waits. `barrier` makes every thread of this process
  // execute a full fence; it is called at most once in a desk's life, or a few times when
  // producers attach together.
  template <class Barrier>
  Attach try_attach(SeatId& seat, Barrier&& barrier) {
    Mode mode = Mode::kNobody;
    if (!swap_mode(mode, Mode::kSole)) {
      const Attach ready = share(barrier);
      if (ready != Attach::kAttached) return ready;
    }
    if (!sit_down(seat)) return Attach::kFull;
    // No edge: a hint.
    share_refills(producers_.fetch_add(1, std::memory_order_relaxed) + 1);
    return Attach::kAttached;
  }

  // Ends the producer's use of its seat. What is in its stash stays there for the others.
  void detach(SeatId seat) {
    // No edge: a hint.
    share_refills(producers_.fetch_sub(1, std::memory_order_relaxed) - 1);
    stashes_[seat].stand_up();
  }

  // Takes up to out.size() posted buffers and answers how many. None: nothing is posted, or
  // the desk is broken, or (seldom) the siblings were faster; ready() knows.
  std::size_t take(SeatId seat, std::span<Posted> out) {
    std::size_t count = 0;
    const bool was_alone = use_alone(out.size(), [&](const Posted& posted) {
      out[count++] = posted;
      return true;
    });
    return was_alone || broken() ? count : take_shared(seat, out);
  }

  // For a producer that has the desk for itself: takes posted buffers and shows each to `use`,
  // until it answers false for one, which stays, or `most` are used. False: it has siblings;
  // take().
  template <class Use>
  [[gnu::always_inline]] bool use_alone(std::size_t most, Use&& use) {
    return alone([&] {
      std::uint32_t position = sole_position();
      for (std::size_t count = 0; count != most; ++count, ++position) {
        Posted posted;
        const Look found = reader_.read(position, posted);
        if (found == Look::kBroken) [[unlikely]]
          break_desk();
        if (found != Look::kMessage || !use(posted)) break;
      }
      move_sole_position(position);
      reader_.prefetch(position);
    });
  }

  // As use_alone(), of buffers that the run covers: shows `use` so many of them, one behind the
  // other, and it answers how many of those it has used, the first ones.
  template <class Use>
  [[gnu::always_inline]] RunTake use_run(std::size_t most, Use&& use) {
    auto taken = RunTake::kDone;
    const bool is_alone = alone([&] {
      std::uint32_t position = sole_position();
      while (most != 0 && taken == RunTake::kDone && covers(position, taken)) {
        const std::size_t count = std::min<std::size_t>(most, run_.behind(position));
        const std::size_t used = use(reader_.slots_from(position), count, run_.room());
        position += static_cast<std::uint32_t>(used);
        most -= used;
        if (used != count) [[unlikely]]
          taken = RunTake::kOther;
      }
      move_sole_position(position);
    });
    return is_alone ? taken : RunTake::kSiblings;
  }

  // Gives back a buffer that was taken from this seat and not used; it is the next to be
  // taken. Of several the last taken comes first. Answers false, and does nothing, when the
  // producer had more than kHandMax in its hand and the stash is full, or the desk is its alone
  // and others were taken since.
  bool put_back(SeatId seat, const Posted& posted) {
    bool was_last = false;
    if (alone([&] { was_last = put_back_alone(posted); })) return was_last;
    return broken() || stashes_[seat].put_back(posted);
  }

  // Whether take() has a reason to be called; looks at everything afresh, before a sleep.
  [[nodiscard]] bool ready(SeatId seat) {
    if (mode() == Mode::kBroken) return true;
    const std::uint64_t word = settled();
    if (reader_.ready(position_of(word))) return true;
    return any_stash(seat, [](const Seat& stash) { return stash.look().size() != 0; });
  }

  [[nodiscard]] bool broken() const { return mode() == Mode::kBroken; }
  [[nodiscard]] bool shared() const { return mode() == Mode::kShared; }

 private:
  template <class T>
  using Atomic = typename Machine::template Atomic<T>;
  using Mode = DeskMode;

  // Above what siblings who keep going can take from under us; then it is "again".
  static constexpr unsigned kTries = 16;

  // ---- Alone.

  // SWITCH: meets the store that made the desk shared.
  Mode mode() const { return static_cast<Mode>(mode_.load(std::memory_order_acquire)); }
  bool swap_mode(Mode& expected, Mode desired) {
    auto was = static_cast<std::uint32_t>(expected);
    // SWITCH: all that the sole producer did happens before the mode is kShared.
    const bool swapped =
        mode_.compare_exchange_strong(was, static_cast<std::uint32_t>(desired),
                                      std::memory_order_acq_rel, std::memory_order_acquire);
    expected = static_cast<Mode>(was);
    return swapped;
  }
  // Last word: no swap replaces it.
  void break_desk() {
    mode_.store(static_cast<std::uint32_t>(Mode::kBroken), std::memory_order_release);  // No edge.
  }

  // Does `work` to the position if this producer has the desk for itself.
  template <class Work>
  [[gnu::always_inline]] bool alone(Work&& work) {
    // Once it is shared it stays so, and nobody waits for "in take".
    if (mode() == Mode::kShared) return false;
    in_take_.store(1, std::memory_order_relaxed);  // No edge: ordered by the barrier.
    if (always_fence_) {
      Machine::full_fence();
    } else {
      Machine::light_fence();  // The look at the mode stays behind "in take".
    }
    const Mode found = mode();
    const bool is_alone = found == Mode::kSole;
    if (is_alone) work();
    // SWITCH: the position happens before the second producer sees this.
    in_take_.store(0, std::memory_order_release);
    if (!is_alone) [[unlikely]]
      end_switch_if_begun(found);
    return is_alone;
  }
  [[gnu::noinline]] void end_switch_if_begun(Mode found) {
    if (found == Mode::kSwitching || found == Mode::kBarred) end_switch();
  }

  // No edges: until the desk is shared this word is the sole producer's.
  std::uint32_t sole_position() const {
    return position_of(position_.load(std::memory_order_relaxed));
  }
  void move_sole_position(std::uint32_t position) {
    position_.store(position_word(position, 0, 0, 0), std::memory_order_relaxed);
  }

  // Whether the run covers the next one, or why not. No descriptor is looked at: the consumer may
  // be about to write it. What an old copy of the run counts, but does not cover, no new one does.
  bool covers(std::uint32_t position, RunTake& taken) {
    if (run_.covers(position)) [[likely]]
      return true;
    const bool is_posted = run_.behind(position) - 1 < depth_ || look_at_run(position);
    if (is_posted && run_.covers(position)) return true;
    taken = is_posted ? RunTake::kOther : RunTake::kNothing;
    return false;
  }
  [[gnu::noinline]] bool look_at_run(std::uint32_t position) {
    run_ = reader_.run();
    if (run_.behind(position) <= depth_) [[likely]]
      return run_.behind(position) != 0;
    break_desk();
    return false;
  }

  // What was taken last still stands in the ring, for it is not completed. Anything else must not
  // go back this way: what stands there is used already.
  bool put_back_alone(const Posted& posted) {
    const std::uint32_t position = sole_position();
    Posted last;
    const bool was_last =
        reader_.read(position - 1, last) == Look::kMessage && last.index == posted.index;
    if (was_last) move_sole_position(position - 1);
    return was_last;
  }

  // ---- The switch.

  template <class Barrier>
  Attach share(Barrier&& barrier) {
    Mode mode = Mode::kSole;
    if (swap_mode(mode, Mode::kSwitching)) mode = Mode::kSwitching;
    if (mode == Mode::kSwitching) {
      barrier();
      if (swap_mode(mode, Mode::kBarred)) mode = Mode::kBarred;
    }
    if (mode == Mode::kBarred) {
      // SWITCH: meets the end of the sole producer's last take.
      if (in_take_.load(std::memory_order_acquire) != 0) return Attach::kAgain;
      mode = end_switch();
    }
    return mode == Mode::kBroken ? Attach::kBroken : Attach::kAttached;
  }

  Mode end_switch() {
    Mode mode = Mode::kSwitching;
    if (swap_mode(mode, Mode::kShared)) return Mode::kShared;
    if (mode == Mode::kBarred && swap_mode(mode, Mode::kShared)) return Mode::kShared;
    return mode;
  }

  bool sit_down(SeatId& seat) {
    for (SeatId n = 0; n < stashes_.size(); ++n) {
      if (!stashes_[n].sit_down()) continue;
      std::uint32_t seats = seats_.load(std::memory_order_relaxed);  // No edge: a bound.
      // No edge: it only grows, and a stash that is not looked at yet is still empty.
      while (seats <= n && !seats_.compare_exchange_strong(seats, n + 1, std::memory_order_seq_cst,
                                                           std::memory_order_relaxed)) {
      }
      seat = n;
      return true;
    }
    return false;
  }

  void share_refills(std::uint32_t producers) {
    const std::uint32_t fair = depth_ / (4 * std::max(producers, 1U));
    // No edge: a hint.
    refill_.store(std::clamp(fair, 1U, kStashMax), std::memory_order_relaxed);
  }

  // ---- Shared.

  std::size_t take_shared(SeatId seat, std::span<Posted> out) {
    for (unsigned tries = 0; tries < kTries; ++tries) {
      const std::size_t count = stashes_[seat].take(out);
      if (count != 0) return count;
      if (refill(seat) == Refill::kNothing) return steal(seat, out);
    }
    return 0;
  }

  std::size_t steal(SeatId seat, std::span<Posted> out) {
    std::size_t count = 0;
    any_stash(seat, [&](Seat& stash) { return (count = stash.take(out)) != 0; });
    return count;
  }

  // Asks the stashes of all seats, our own first, until one says yes.
  template <class Ask>
  bool any_stash(SeatId seat, Ask&& ask) {
    const std::uint32_t seats = seats_.load(std::memory_order_acquire);  // No edge: a bound.
    for (std::uint32_t n = 0; n < seats; ++n) {
      if (ask(stashes_[seat])) return true;
      if (++seat >= seats) seat = 0;
    }
    return false;
  }

  enum class Refill : std::uint8_t { kNothing, kDone, kLost };

  // Moves descriptors from the ring to this seat's empty stash.
  Refill refill(SeatId seat) {
    std::uint64_t word = settled();
    Seat& stash = stashes_[seat];
    const std::uint32_t high = stash.look().high();
    const std::uint32_t wanted = refill_.load(std::memory_order_relaxed);  // No edge: a hint.
    std::uint32_t count = 0;
    Look found = Look::kMessage;
    for (; count < wanted; ++count) {
      Posted posted;
      found = reader_.read(position_of(word) + count, posted);
      if (found != Look::kMessage) break;
      stash.fill(high + count, posted);
    }
    if (count == 0 && found == Look::kNothing) return Refill::kNothing;
    // `count` may be 0: then the swap only asks whether what looked broken was ours to read.
    const std::uint64_t next =
        count == 0 ? word
                   : position_word(position_of(word) + count,
                                   static_cast<std::uint16_t>(high + count), seat, count);
    // DESK: our copies happen before their slots are written again; the entries are visible
    // to whoever settles.
    if (!position_.compare_exchange_strong(word, next, std::memory_order_acq_rel,
                                           std::memory_order_acquire)) {
      return Refill::kLost;
    }
    if (count == 0) {
      break_desk();
      return Refill::kNothing;
    }
    settle(next);
    return Refill::kDone;
  }

  // The position word, when the refill that it tells of is settled.
  std::uint64_t settled() {
    // DESK: meets the refill, whose entries are visible from here on.
    const std::uint64_t word = position_.load(std::memory_order_acquire);
    settle(word);
    return word;
  }

  // Ends the refill that made the position `word`, unless that has been done.
  void settle(std::uint64_t word) {
    const std::uint32_t count = count_of(word);
    if (count == 0) return;
    Seat& stash = stashes_[seat_of(word)];
    const typename Seat::Word found = stash.look();
    if (found.size() != 0 || ((found.high() + count) & 0xffffU) != high_of(word)) return;
    // DESK: the stash was seen as it was while the position was still this one.
    if (position_.load(std::memory_order_acquire) != word) return;
    stash.extend(found, count);
  }

  const Reader reader_;
  const std::uint32_t depth_;
  const std::span<Seat> stashes_;
  const bool always_fence_;
  Atomic<std::uint32_t> mode_{0};
  Atomic<std::uint32_t> seats_{0};      // Seats that have ever been taken.
  Atomic<std::uint32_t> producers_{0};  // Attached now.
  Atomic<std::uint32_t> refill_{1};     // Descriptors of one refill.
  // What a take writes, apart from what it only reads.
  alignas(kCacheLine) Atomic<std::uint64_t> position_{0};
  Atomic<std::uint32_t> in_take_{0};
  PostedRun<> run_;  // The sole producer's copy.
};

}  // namespace comch::shm
