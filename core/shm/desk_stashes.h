// DeskStashes: what several producers of one process take at a shared desk (desk.h): each from a
// stash of a few descriptors, in its seat, that is refilled from the consumer's PostedRing. Who
// wants as many as a refill has gets them without it; when the ring is empty the others' stashes
// are stolen from. No locks.
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
// The position is the desk's own, for a sole producer writes it by itself.
//
// Ordering:
//
//   DESK   swap of the position or of a stash's word (release) -> its next load or swap (acquire)
//          what was copied is copied before the word moves on, and the entries are visible.
//
// Threads: any; a seat belongs to one at a time. Lifetime: the desk's; the stashes and the ring
// outlive it. Errors: an impossible descriptor breaks the desk for good.
// Tests: desk_test.cc, desk_stop_test.cc, desk_model.cc, desk_threads_test.cc.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>

#include "shm/desk_switch.h"
#include "shm/desk_words.h"
#include "shm/fast_machine.h"
#include "shm/posted_ring.h"
#include "shm/stash.h"

namespace comch::shm {

template <class Machine, std::uint32_t kRoom>
class DeskStashes {
 public:
  static_assert(kStashMax <= kMostCounted, "a refill's count is a part of the position's word");
  using Seat = Stash<Machine, kRoom>;
  using Reader = PostedReader<Machine, std::uint32_t>;
  template <class T>
  using Atomic = typename Machine::template Atomic<T>;

  // `depth`: what the consumer has posted at most.
  DeskStashes(Reader reader, std::uint32_t depth, std::span<Seat> stashes,
              DeskSwitch<Machine>& desk, Atomic<std::uint64_t>& position)
      : reader_(reader), depth_(depth), stashes_(stashes), switch_(desk), position_(position) {
    assert(!stashes.empty() && stashes.size() <= kMaxSeats);
  }

  // False: every seat is taken.
  bool sit_down(SeatId& seat) {
    for (SeatId n = 0; n < stashes_.size(); ++n) {
      if (!stashes_[n].sit_down()) continue;
      std::uint32_t seats = seats_.load(std::memory_order_relaxed);  // No edge: a bound.
      // No edge: it only grows, and a stash that is not looked at yet is still empty.
      while (seats <= n && !seats_.compare_exchange_strong(seats, n + 1, std::memory_order_seq_cst,
                                                           std::memory_order_relaxed)) {
      }
      seat = n;
      // No edge: a hint.
      share_refills(producers_.fetch_add(1, std::memory_order_relaxed) + 1);
      return true;
    }
    return false;
  }

  // What is in its stash stays there for the others.
  void stand_up(SeatId seat) {
    // No edge: a hint.
    share_refills(producers_.fetch_sub(1, std::memory_order_relaxed) - 1);
    stashes_[seat].stand_up();
  }

  // How many one producer takes at a time, so that the others find some.
  [[nodiscard]] std::uint32_t share() const {
    return refill_.load(std::memory_order_relaxed);  // No edge: a hint.
  }

  // Takes up to out.size() and answers how many. None: see Desk::take().
  std::size_t take(SeatId seat, std::span<Posted> out) {
    // Nothing taken must not look like an empty stash, which alone may be refilled.
    if (out.empty()) return 0;
    const std::size_t refill_size = share();
    for (unsigned tries = 0; tries < kTries; ++tries) {
      std::size_t count = stashes_[seat].take(out);
      if (count != 0) return count;
      // As many as that need no stash on their way.
      const bool is_whole = out.size() >= refill_size;
      const Refill done = is_whole ? take_refill(out.first(refill_size), count) : refill(seat);
      if (done == Refill::kNothing) return steal(seat, out);
      if (count != 0) return count;
    }
    return 0;
  }

  bool put_back(SeatId seat, const Posted& posted) { return stashes_[seat].put_back(posted); }

  // Whether there is something to take; looks at everything afresh.
  [[nodiscard]] bool ready(SeatId seat) {
    const std::uint64_t word = settled();
    if (reader_.ready(position_of(word))) return true;
    return any_stash(seat, [](const Seat& stash) { return stash.look().size() != 0; });
  }

 private:
  // Above what siblings who keep going can take from under us; then it is "again".
  static constexpr unsigned kTries = 16;

  void share_refills(std::uint32_t producers) {
    const std::uint32_t fair = depth_ / (4 * std::max(producers, 1U));
    // No edge: a hint.
    refill_.store(std::clamp(fair, 1U, kStashMax), std::memory_order_relaxed);
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
    const std::uint64_t word = settled();
    Seat& stash = stashes_[seat];
    const typename Seat::Word found = stash.look();
    // All that were there others took while we tried to, or nearly.
    if (found.size() != 0) return Refill::kLost;
    const std::uint32_t high = found.high();
    const auto fill = [&](std::uint32_t n, const Posted& posted) { stash.fill(high + n, posted); };
    return move_position(word, share(), fill, [&](std::uint32_t count) {
      return position_word(position_of(word) + count, static_cast<std::uint16_t>(high + count),
                           seat, count);
    });
  }

  // Moves them to `out` instead, and says how many: none if it is not kDone.
  Refill take_refill(std::span<Posted> out, std::size_t& taken) {
    const std::uint64_t word = settled();
    const auto keep = [&](std::uint32_t n, const Posted& posted) { out[n] = posted; };
    std::uint32_t count = 0;
    const Refill done =
        move_position(word, static_cast<std::uint32_t>(out.size()), keep, [&](std::uint32_t found) {
          count = found;
          return position_word(position_of(word) + found, 0, 0, 0);
        });
    taken = done == Refill::kDone ? count : 0;
    return done;
  }

  // Shows the next descriptors behind the position `word`, `wanted` at most, to `copy`, and moves
  // the position to the word that `next_word` answers for so many.
  template <class Copy, class NextWord>
  Refill move_position(std::uint64_t word, std::uint32_t wanted, Copy&& copy,
                       NextWord&& next_word) {
    std::uint32_t count = 0;
    Look found = Look::kMessage;
    for (; count < wanted; ++count) {
      Posted posted;
      found = reader_.read(position_of(word) + count, posted);
      if (found != Look::kMessage) break;
      copy(count, posted);
    }
    if (count == 0 && found == Look::kNothing) return Refill::kNothing;
    // `count` may be 0: then the swap only asks whether what looked broken was ours to read.
    const std::uint64_t next = count == 0 ? word : next_word(count);
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
  DeskSwitch<Machine>& switch_;
  Atomic<std::uint64_t>& position_;
  Atomic<std::uint32_t> seats_{0};      // Seats that have ever been taken.
  Atomic<std::uint32_t> producers_{0};  // Attached now.
  Atomic<std::uint32_t> refill_{1};     // Descriptors of one refill.
};

}  // namespace comch::shm
