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
// How the first producer loses the desk to several, with no fence on its own side, is
// desk_switch.h's.
//
// Ordering:
//
//   DESK    swap of the position or of a stash's word (release) -> its next load or swap (acquire)
//           what was copied is copied before the word moves on, and the entries are visible.
//   SWITCH  desk_switch.h: the sole producer's position is visible to all once the desk is shared.
//
// Waking: put_back() and detach() may leave descriptors for siblings that sleep for them;
// waking those is the caller's, who knows who sleeps.
//
// Threads: any; a seat belongs to one at a time. Lifetime: the stashes and the ring outlive the
// desk. Errors: see each call; an impossible descriptor breaks the desk for good.
// Tests: desk_test.cc (rules; a producer stopped at every step), desk_model.cc (shared, under
// the C++ memory model), desk_threads_test.cc (under TSan).
#pragma once

#include <algorithm>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "shm/desk_switch.h"
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
      : reader_(reader), depth_(depth), stashes_(stashes), switch_(always_fence) {
    assert(!stashes.empty() && stashes.size() <= kMaxSeats);
  }

  // Seats the calling producer; never waits. `barrier` makes every thread of this process
  // execute a full fence; it is called at most once in a desk's life, or a few times when
  // producers attach together.
  template <class Barrier>
  Attach try_attach(SeatId& seat, Barrier&& barrier) {
    const Attach entered = switch_.enter(in_take_, barrier);
    if (entered != Attach::kAttached) return entered;
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
    const auto keep = [&](const Posted& posted) {
      out[count++] = posted;
      return true;
    };
    const bool was_alone = use_alone(out.size(), keep, [](const Posted&) {});
    return was_alone || broken() ? count : take_shared(seat, out);
  }

  // For a producer that has the desk for itself: takes posted buffers and shows each to `use`,
  // until it answers false for one, which stays, or `most` are used. The one behind each that was
  // used is shown to `expect`, if it is posted by then; it stays. False: it has siblings; take().
  template <class Use, class Expect>
  [[gnu::always_inline]] bool use_alone(std::size_t most, Use&& use, Expect&& expect) {
    return switch_.alone(in_take_, [&] {
      std::uint32_t position = sole_position();
      Posted posted;
      Look found = reader_.read(position, posted);
      for (std::size_t count = 0; count != most && found == Look::kMessage; ++count) {
        if (!use(posted)) break;
        found = reader_.read(++position, posted);
        if (found == Look::kMessage) expect(posted);
      }
      if (found == Look::kBroken) [[unlikely]]
        switch_.break_for_good();
      move_sole_position(position);
      reader_.prefetch(position);
    });
  }

  // As use_alone(), of one, for a message that goes into its slot: shows `use` the index and the
  // room. Those that the run covers cost no look at shared memory; it is looked at behind every
  // eighth, when the message is on its way.
  template <class Use>
  [[gnu::always_inline]] bool use_one(Use&& use) {
    return switch_.alone(in_take_, [&] {
      const std::uint32_t position = sole_position();
      const bool is_covered = run_.covers(position);
      const One one =
          is_covered ? One{run_.room(), reader_.slots_from(position)[0], true} : read_one(position);
      if (!one.is_posted || !use(one.index, one.room)) [[unlikely]]
        return;
      move_sole_position(position + 1);
      if (position % kLookEvery == 0) look_at_run(position + 1);
    });
  }

  // As use_alone(), of buffers that the run covers: shows `use` so many of them, one behind the
  // other, and it answers how many of those it has used, the first ones.
  template <class Use>
  [[gnu::always_inline]] RunTake use_run(std::size_t most, Use&& use) {
    auto taken = RunTake::kDone;
    const bool is_alone = switch_.alone(in_take_, [&] {
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

  // For a producer that has the desk for itself: how many of the next buffers, `most` at most, the
  // run is known to cover, and how much room each of them has. None: perhaps there are others.
  struct Ahead {
    std::uint32_t buffers = 0;
    std::uint64_t room = 0;
  };
  [[nodiscard]] Ahead look_ahead(std::uint32_t most) {
    Ahead ahead;
    switch_.alone(in_take_, [&] {
      const std::uint32_t position = sole_position();
      auto taken = RunTake::kDone;
      if (covers(position, taken)) ahead = {std::min(most, run_.behind(position)), run_.room()};
    });
    return ahead;
  }

  // Gives back a buffer that was taken from this seat and not used; it is the next to be
  // taken. Of several the last taken comes first. Answers false, and does nothing, when the
  // producer had more than kHandMax in its hand and the stash is full, or the desk is its alone
  // and others were taken since.
  bool put_back(SeatId seat, const Posted& posted) {
    bool was_last = false;
    if (switch_.alone(in_take_, [&] { was_last = put_back_alone(posted); })) return was_last;
    return broken() || stashes_[seat].put_back(posted);
  }

  // Whether take() has a reason to be called; looks at everything afresh, before a sleep.
  [[nodiscard]] bool ready(SeatId seat) {
    if (broken()) return true;
    const std::uint64_t word = settled();
    if (reader_.ready(position_of(word))) return true;
    return any_stash(seat, [](const Seat& stash) { return stash.look().size() != 0; });
  }

  [[nodiscard]] bool broken() const { return switch_.broken(); }
  [[nodiscard]] bool shared() const { return switch_.shared(); }

 private:
  template <class T>
  using Atomic = typename Machine::template Atomic<T>;

  // Above what siblings who keep going can take from under us; then it is "again".
  static constexpr unsigned kTries = 16;
  // Messages by themselves between two looks at the run: seldom enough for the consumer to keep the
  // word's line most of the time, and often enough for 16 posted buffers to be known ahead.
  static constexpr std::uint32_t kLookEvery = 8;

  // ---- Alone.

  // No edges: until the desk is shared this word is the sole producer's.
  std::uint32_t sole_position() const {
    return position_of(position_.load(std::memory_order_relaxed));
  }
  void move_sole_position(std::uint32_t position) {
    position_.store(position_word(position, 0, 0, 0), std::memory_order_relaxed);
  }

  // What use_one() needs of a posted buffer; so small that it is answered in registers.
  struct One {
    std::uint64_t room;
    std::uint16_t index;
    bool is_posted;
  };
  // By the descriptor. Apart, for whoever has the address of a local guards its frame.
  [[gnu::noinline]] One read_one(std::uint32_t position) {
    Posted posted;
    const Look found = reader_.read(position, posted);
    if (found == Look::kBroken) [[unlikely]]
      switch_.break_for_good();
    return {posted.capacity, posted.index, found == Look::kMessage};
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
    const std::uint32_t behind = run_.behind(position);
    if (behind <= depth_) [[likely]]
      return behind != 0;
    // Descriptors are published ahead of the run, and what was taken by them may be ahead of it.
    const std::uint32_t ahead = 0U - behind;
    if (ahead > depth_) switch_.break_for_good();
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

  // ---- Seats.

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
    // Nothing taken must not look like an empty stash, which alone may be refilled.
    if (out.empty()) return 0;
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
      switch_.break_for_good();
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
  DeskSwitch<Machine> switch_;
  Atomic<std::uint32_t> seats_{0};      // Seats that have ever been taken.
  Atomic<std::uint32_t> producers_{0};  // Attached now.
  Atomic<std::uint32_t> refill_{1};     // Descriptors of one refill.
  // What a take writes, apart from what it only reads.
  alignas(kCacheLine) Atomic<std::uint64_t> position_{0};
  typename DeskSwitch<Machine>::InTake in_take_{0};
  PostedRun<> run_;  // The sole producer's copy.
};

}  // namespace comch::shm
