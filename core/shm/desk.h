// Desk: where the producer threads of one process get the posted buffers of one remote
// consumer. It lies in private memory and reads the consumer's PostedRing.
//
//   alone    exactly one producer has ever attached: it reads the ring, or no more than its run
//            (posted_run.h), directly, with plain loads and stores.
//   shared   from the second producer on, for ever: each has a seat with a stash of a few
//            descriptors (desk_stashes.h).
//
// A producer that stops, wherever it stops, keeps from the others what take() had already given it,
// and nothing else.
//
// How the first producer loses the desk to several, with no fence on its own side, is
// desk_switch.h's.
//
// Ordering:
//
//   DESK    desk_stashes.h
//   SWITCH  desk_switch.h: the sole producer's position is visible to all once the desk is shared.
//
// Waking: put_back() and detach() may leave descriptors for siblings that sleep for them; waking
// those is the caller's. Who is about to sleep tells the desk's waiters, ahead of ready().
//
// Threads: any; a seat belongs to one at a time. Lifetime: the stashes and the ring outlive the
// desk. Errors: see each call; an impossible descriptor breaks the desk for good.
// Tests: desk_test.cc (rules), desk_stop_test.cc (a producer stopped at every step), desk_model.cc
// (under the C++ memory model), desk_threads_test.cc (under TSan).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "shm/desk_stashes.h"
#include "shm/desk_switch.h"
#include "shm/desk_waiters.h"
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
      : reader_(reader),
        depth_(depth),
        switch_(always_fence),
        stashes_(reader, depth, stashes, switch_, position_) {}

  // Seats the calling producer; never waits. `barrier` makes every thread of this process
  // execute a full fence; it is called at most once in a desk's life, or a few times when
  // producers attach together.
  template <class Barrier>
  Attach try_attach(SeatId& seat, Barrier&& barrier) {
    const Attach entered = switch_.enter(in_take_, barrier);
    if (entered != Attach::kAttached) return entered;
    return stashes_.sit_down(seat) ? Attach::kAttached : Attach::kFull;
  }

  // Ends the producer's use of its seat. What is in its stash stays there for the others.
  void detach(SeatId seat) { stashes_.stand_up(seat); }

  // Takes up to out.size() posted buffers and answers how many. None: nothing is posted, or
  // the desk is broken, or (seldom) the siblings were faster; ready() knows.
  std::size_t take(SeatId seat, std::span<Posted> out) {
    std::size_t count = 0;
    const bool was_alone = switch_.alone(in_take_, [&] {
      std::uint32_t position = sole_position();
      while (count != out.size()) {
        const Look found = reader_.read(position, out[count]);
        if (found == Look::kBroken) [[unlikely]]
          switch_.break_for_good();
        if (found != Look::kMessage) break;
        ++position;
        ++count;
      }
      move_sole_position(position);
      reader_.prefetch(position);
    });
    return was_alone || broken() ? count : stashes_.take(seat, out);
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
      if (is_looked_behind(position)) look_at_run(position + 1);
    });
  }

  // The same in two steps, of which the first may be long before the second, for a producer that
  // has the desk for itself and needs no fence of its own: what the run says of the next buffer.
  [[nodiscard]] DeskNext next() const {
    const std::uint32_t position = sole_position();
    if (!run_.covers(position)) [[unlikely]]
      return {};
    return {.index = reader_.slots_from(position)[0], .room = run_.room()};
  }
  // Takes it, if nothing was taken since and the producer still has the desk for itself. False: it
  // has not; nothing was done, and take() comes next.
  template <class Use>
  [[gnu::always_inline]] bool use_next(Use&& use) {
    return switch_.still_alone(in_take_, [&] {
      use();
      move_sole_position(sole_position() + 1);
    });
  }
  // Behind a use: whether it is time to look at the run again, for next().
  [[nodiscard]] bool wants_look() const { return is_looked_behind(sole_position() - 1); }
  void look() {
    switch_.alone(in_take_, [&] { look_at_run(sole_position()); });
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

  // For one of several producers: how many it takes at a time, so that the others find some.
  [[nodiscard]] std::uint32_t share() const { return stashes_.share(); }

  // Gives back a buffer that was taken from this seat and not used; it is the next to be
  // taken. Of several the last taken comes first. Answers false, and does nothing, when the
  // producer had more than kHandMax in its hand and the stash is full, or the desk is its alone
  // and others were taken since.
  bool put_back(SeatId seat, const Posted& posted) {
    bool was_last = false;
    if (switch_.alone(in_take_, [&] { was_last = put_back_alone(posted); })) return was_last;
    return broken() || stashes_.put_back(seat, posted);
  }

  // Whether take() has a reason to be called; looks at everything afresh, before a sleep.
  [[nodiscard]] bool ready(SeatId seat) { return broken() || stashes_.ready(seat); }

  DeskWaiters<Machine>& waiters() { return waiters_; }

  [[nodiscard]] bool broken() const { return switch_.broken(); }
  [[nodiscard]] bool shared() const { return switch_.shared(); }

 private:
  template <class T>
  using Atomic = typename Machine::template Atomic<T>;

  // ---- Alone.

  // Messages by themselves between two looks at the run: seldom enough for the consumer to keep the
  // word's line most of the time, and often enough for 16 posted buffers to be known ahead.
  static constexpr std::uint32_t kLookEvery = 8;
  static bool is_looked_behind(std::uint32_t position) { return position % kLookEvery == 0; }

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

  const Reader reader_;
  const std::uint32_t depth_;
  DeskSwitch<Machine> switch_;
  DeskStashes<Machine, kRoom> stashes_;
  DeskWaiters<Machine> waiters_;
  // What a take writes, apart from what it only reads.
  alignas(kCacheLine) Atomic<std::uint64_t> position_{0};
  typename DeskSwitch<Machine>::InTake in_take_{0};
  PostedRun<> run_;  // The sole producer's copy.
};

}  // namespace comch::shm
