// DeskSwitch: whether one producer has a desk (desk.h) for itself, and the change, once in the
// desk's life, to one that several share.
//
// The sole producer says "in take", looks at the mode, takes, and takes "in take" back, with no
// fence but the compiler's. The second producer stores the mode kSwitching, has every thread of
// the process execute a full fence (membarrier), and waits until it has seen "in take" clear; the
// sole producer can end the switch itself when it sees the mode. Either the sole producer's store
// of "in take" was ahead of that fence, and the second sees it; or its look at the mode was
// behind, and it does not take.
//
// The word "in take" is the desk's own, beside what a take writes; each call is given it. The
// mode lies apart, beside what a take only reads.
//
// Ordering:
//
//   SWITCH  in_take or mode store(release) -> load(acquire)
//           what the sole producer did is visible to all once the mode is kShared.
//
// Threads: any; alone() is called by the producers that have entered. Lifetime: private memory.
// Errors: kBroken is for good.
// Tests: desk_switch_test.cc (rules), switch_model.cc (every interleaving, on a machine with
// store buffers).
#pragma once

#include <atomic>
#include <cassert>
#include <cstdint>

#include "shm/desk_words.h"

namespace comch::shm {

//   kNobody -> kSole -> kSwitching -> kBarred -> kShared;   any -> kBroken
enum class DeskMode : std::uint32_t { kNobody, kSole, kSwitching, kBarred, kShared, kBroken };

template <class Machine>
class DeskSwitch {
 public:
  using InTake = typename Machine::template Atomic<std::uint32_t>;

  // `always_fence`: the barrier given to enter() does not reach this process's other threads, so
  // that the sole producer has to fence for itself.
  explicit DeskSwitch(bool always_fence) : always_fence_(always_fence) {}

  // For a producer that comes; never waits. The first has the desk for itself, until the second
  // shares it. `barrier` makes every thread of this process execute a full fence.
  template <class Barrier>
  Attach enter(const InTake& in_take, Barrier&& barrier) {
    DeskMode mode = DeskMode::kNobody;
    return swap_mode(mode, DeskMode::kSole) ? Attach::kAttached : share(in_take, barrier);
  }

  // Does `work` if the calling producer has the desk for itself, and answers whether.
  template <class Work>
  [[gnu::always_inline]] bool alone(InTake& in_take, Work&& work) {
    // Once it is shared it stays so, and nobody waits for "in take".
    if (mode() == DeskMode::kShared) return false;
    const DeskMode found = work_if_sole(in_take, always_fence_, work);
    if (found != DeskMode::kSole) [[unlikely]]
      end_if_begun(found);
    return found == DeskMode::kSole;
  }

  // The same in less time, and without a call, for who had it alone when it last asked, and needs
  // no fence. Whoever is told that it has not calls alone() next, which ends a switch.
  template <class Work>
  [[gnu::always_inline]] bool still_alone(InTake& in_take, Work&& work) {
    assert(!always_fence_);
    return work_if_sole(in_take, false, work) == DeskMode::kSole;
  }

  // Last word: no swap replaces it.
  void break_for_good() {
    mode_.store(static_cast<std::uint32_t>(DeskMode::kBroken),
                std::memory_order_release);  // No edge.
  }

  [[nodiscard]] bool broken() const { return mode() == DeskMode::kBroken; }
  [[nodiscard]] bool shared() const { return mode() == DeskMode::kShared; }

 private:
  // SWITCH: meets the store that made the desk shared.
  DeskMode mode() const { return static_cast<DeskMode>(mode_.load(std::memory_order_acquire)); }

  template <class Work>
  [[gnu::always_inline]] DeskMode work_if_sole(InTake& in_take, bool fence, Work& work) {
    in_take.store(1, std::memory_order_relaxed);  // No edge: ordered by the barrier.
    if (fence) {
      Machine::full_fence();
    } else {
      Machine::light_fence();  // The look at the mode stays behind "in take".
    }
    const DeskMode found = mode();
    if (found == DeskMode::kSole) work();
    // SWITCH: the work happens before the second producer sees this.
    in_take.store(0, std::memory_order_release);
    return found;
  }

  bool swap_mode(DeskMode& expected, DeskMode desired) {
    auto was = static_cast<std::uint32_t>(expected);
    // SWITCH: all that the sole producer did happens before the mode is kShared.
    const bool swapped =
        mode_.compare_exchange_strong(was, static_cast<std::uint32_t>(desired),
                                      std::memory_order_acq_rel, std::memory_order_acquire);
    expected = static_cast<DeskMode>(was);
    return swapped;
  }

  template <class Barrier>
  Attach share(const InTake& in_take, Barrier&& barrier) {
    DeskMode mode = DeskMode::kSole;
    if (swap_mode(mode, DeskMode::kSwitching)) mode = DeskMode::kSwitching;
    if (mode == DeskMode::kSwitching) {
      barrier();
      if (swap_mode(mode, DeskMode::kBarred)) mode = DeskMode::kBarred;
    }
    if (mode == DeskMode::kBarred) {
      // SWITCH: meets the end of the sole producer's last take.
      if (in_take.load(std::memory_order_acquire) != 0) return Attach::kAgain;
      mode = end();
    }
    return mode == DeskMode::kBroken ? Attach::kBroken : Attach::kAttached;
  }

  [[gnu::noinline]] void end_if_begun(DeskMode found) {
    if (found == DeskMode::kSwitching || found == DeskMode::kBarred) end();
  }

  DeskMode end() {
    DeskMode mode = DeskMode::kSwitching;
    if (swap_mode(mode, DeskMode::kShared)) return DeskMode::kShared;
    if (mode == DeskMode::kBarred && swap_mode(mode, DeskMode::kShared)) return DeskMode::kShared;
    return mode;
  }

  const bool always_fence_;
  InTake mode_{0};
};

}  // namespace comch::shm
