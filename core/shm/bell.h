// Bell: how a side that sleeps is woken by the side that publishes.
//
// The word of a bell lies in shared memory. Its owner, the sleeper, says there that it is
// about to sleep; the ringer looks at it after each publication, and when it is told to ring
// it makes a system call of the caller's choice (a write to an eventfd).
//
//   bit 0      armed     the sleeper sleeps, or is about to: ring
//   bit 1      relaxed   the ringer may leave out its fence (the opposite is called guarded)
//   bits 2..   episode   counts the arm()s, so that one sleep is rung once
//   bit 63     by word   the sleeper waits for `rings`: raise that, and wake who waits for it
//
// Zero, the state of fresh memory, is guarded and not armed. The episode has 61 bits: it
// does not come round.
//
//   sleeper                                    ringer
//     if (bell.arm()) membarrier();              ring.push(message);
//     if (nothing to do) sleep();                if (bell.should_ring()) wake_the_sleeper();
//     bell.disarm();
//
// Every sleep has an arm() of its own and, behind it, a look at everything that the sleeper
// waits for, from shared memory and not from a cached copy.
//
// Why no wake-up is lost. Let A be the sleeper's store of "armed", C its check behind it, P
// the ringer's publication, and L the ringer's last look at the word. A wake-up would be lost
// only if C misses P *and* L misses A.
//
//   Guarded. The sleeper has a full fence between A and C, the ringer one between P and L.
//   The two fences are ordered, one way or the other. Sleeper's first: L comes behind A and
//   sees it, or something the sleeper wrote later. Ringer's first: C comes behind P and sees
//   it. This is the edge SLEEP; it is made of two fences and belongs to neither side.
//
//   From relaxed. The ringer reads "relaxed" and stops there, without a fence: L is that
//   read. The sleeper writes A, which says guarded, and its caller then makes every thread of
//   the ringer's process execute a full fence, at a place F in that thread's program order
//   (membarrier, global expedited, for which the ringer's process has registered). F before L:
//   L sees A, takes the guarded way, and its second look sees A again. F behind L is also
//   behind P, for the light fence keeps L behind P in the program: C sees P.
//
//   Guarded again and again. After F no thread of the ringer reads an older "relaxed", so
//   the first case holds for every later arm() until the sleeper relaxes. At the start there
//   is no older "relaxed" to be read: the memory was zero before the peer had it.
//
//   By word. A sleeper that can waits for the word `rings` to change (futex), beside what it
//   waits for anyway: a ringer that does not know of this wakes it otherwise. It reads `rings`
//   ahead of its promise, and the ringer raises it behind a look that sees the promise, so that
//   the value which the kernel compares is older than each such raise; whether the raise comes
//   ahead of the comparison or behind it, the sleeper goes on. This is the edge WORD. Who sees
//   "armed" without the promise rings otherwise.
//
//   Ringing once. The ringer keeps silent about an episode that it rang for. The sleeper was
//   woken in that episode, or will be, and looks at everything before it sleeps in another.
//
// A lying peer can make us ring once per publication, or not ring: it loses its own wake-ups.
//
// Threads: a BellSleeper and a BellRinger belong to one thread each; several ringers may
// share a bell. Errors: none. Lifetime: both refer to the word and are outlived by it.
// Tests: bell_test.cc, bell_model.cc (guarded, every interleaving), membarrier_model.cc
// (relaxed to guarded and back, every interleaving of a store-buffer machine).
#pragma once

#include <cstdint>

#include "shm/machine.h"
#include "shm/untrusted.h"

namespace comch::shm {

template <class Machine = RealMachine>
struct Bell {
  Untrusted<std::uint64_t, Machine> word;
  Untrusted<std::uint32_t, Machine> rings;  // Raised by who rings a sleeper that waits for it.
};

inline constexpr std::uint64_t kBellArmed = 1;
inline constexpr std::uint64_t kBellRelaxed = 2;
inline constexpr std::uint64_t kBellEpisode = 4;  // One episode, as a step of the word.

inline constexpr std::uint64_t kBellByWord = std::uint64_t{1} << 63U;

// The side that sleeps; the only one that writes the word.
template <class Machine = RealMachine>
class BellSleeper {
 public:
  explicit BellSleeper(Bell<Machine>& bell) : bell_(bell) {}

  // Asks to be rung from now on, until disarm(). True: the bell was relaxed, and the caller
  // owes every thread of the ringer's process a full fence (membarrier) before it looks at
  // what it waits for; false: it has been done here.
  [[nodiscard]] bool arm() {
    episode_ += kBellEpisode;
    publish(episode_ | kBellArmed);
    if (relaxed_) {
      relaxed_ = false;
      return true;
    }
    Machine::full_fence();  // SLEEP: orders "armed" before the look at what we wait for.
    return false;
  }

  // Behind arm(), and ahead of the look: asks to be rung by the word `rings` from now on. Wait for
  // it while it has the value that is answered, and for what rings otherwise, too.
  [[nodiscard]] std::uint32_t ask_for_word() {
    const std::uint32_t value = bell_.rings.fetch();
    // WORD: the look at the value happens before who meets this raises it.
    bell_.word.publish(episode_ | kBellArmed | kBellByWord, std::memory_order_release);
    return value;
  }
  [[nodiscard]] const void* word() const { return bell_.rings.address(); }

  // Awake: nobody need ring. Ringers keep their fence, so that the next arm() is cheap.
  void disarm() { publish(episode_); }

  // Awake, and for long: ringers leave out their fence, and the next arm() needs membarrier.
  // Legal only when that call is known to work here and the ringer's process has registered.
  void relax() {
    relaxed_ = true;
    publish(episode_ | kBellRelaxed);
  }

  [[nodiscard]] bool relaxed() const { return relaxed_; }

 private:
  // No edge: the word guards no memory. What orders it is SLEEP, or membarrier.
  void publish(std::uint64_t word) { bell_.word.publish(word, std::memory_order_relaxed); }

  Bell<Machine>& bell_;
  std::uint64_t episode_ = 0;  // Ours; the word is only its publication.
  bool relaxed_ = false;
};

// The side that rings.
template <class Machine = RealMachine>
class BellRinger {
 public:
  // With `always_fence` the ringer does not believe "relaxed": for a process that could not
  // register for membarrier.
  explicit BellRinger(Bell<Machine>& bell, bool always_fence = false)
      : bell_(bell), always_fence_(always_fence) {}

  // After each publication: whether the sleeper must be woken for it.
  [[nodiscard]] bool should_ring() {
    Machine::light_fence();  // The look stays behind the publication; see "From relaxed".
    // No edge: the word guards no memory.
    const std::uint64_t first = bell_.word.fetch(std::memory_order_relaxed);
    if ((first & kBellRelaxed) != 0 && !always_fence_) return false;
    Machine::full_fence();  // SLEEP: orders the publication before the look at "armed".
    const std::uint64_t word = bell_.word.fetch(std::memory_order_relaxed);
    if ((word & kBellArmed) == 0 || (word & ~kBellByWord) == rung_) return false;
    rung_ = word & ~kBellByWord;
    return true;
  }

  // Whether that is a question at all. Behind a publication, too.
  [[nodiscard]] bool may_have_to_ring() const {
    Machine::light_fence();  // As above.
    // No edge: the word guards no memory.
    return always_fence_ || (bell_.word.fetch(std::memory_order_relaxed) & kBellRelaxed) == 0;
  }

  // When it is to be rung: whether that is done by its word(), which has another value now. Then
  // who waits for that is to be woken; else the sleeper, by other means.
  [[nodiscard]] bool raise() {
    // WORD: meets ask_for_word(). A later episode's promise is as good.
    if ((bell_.word.fetch(std::memory_order_acquire) & kBellByWord) == 0) return false;
    bell_.rings.raise(std::memory_order_relaxed);  // No edge: the kernel compares it.
    return true;
  }
  [[nodiscard]] const void* word() const { return bell_.rings.address(); }

 private:
  Bell<Machine>& bell_;
  const bool always_fence_;
  std::uint64_t rung_ = 0;  // The armed word that we have rung for; zero is not armed.
};

}  // namespace comch::shm
