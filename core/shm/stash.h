// Stash: the few descriptors that a producer of a shared desk (desk.h) has by it, from which
// its siblings may steal.
//
//   word   generation (32)  low (16)  high (16)      entries low .. high-1, in a circle
//
// Taking, whoever does it, copies the entries and then swaps the word; if that fails, what was
// copied counts for nothing. Each change of the word raises its generation, and entries from
// `low` to `high` are never written. A swap would be fooled by exactly 2^32 changes in between.
//
// Only the stash's owner puts back, and only the owner fills the entries behind `high` of an
// empty stash; but extend(), which makes them count, is anybody's who knows how many there are.
//
// Ordering:
//
//   DESK   swap of a word (release) -> its next load or swap (acquire)
//          what was copied is copied before the word moves on, and the entries are visible.
//
// Threads: any. Lifetime: private memory; a fresh stash is empty. Errors: none.
// Tests: desk_test.cc, desk_model.cc, desk_threads_test.cc.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "shm/fast_machine.h"
#include "shm/posted_ring.h"

namespace comch::shm {

inline constexpr std::uint32_t kStashMax = 16;   // Descriptors of one refill.
inline constexpr std::uint32_t kStashRoom = 64;  // Of a stash, put-backs included.

// What a producer must hold in its hand at most, so that a put-back always has room.
inline constexpr std::uint32_t kHandMax = kStashRoom - kStashMax;

// A model has smaller ones.
template <class Machine = FastMachine, std::uint32_t kRoom = kStashRoom>
class Stash {
 public:
  template <class T>
  using Atomic = typename Machine::template Atomic<T>;

  // A copy of the word.
  struct Word {
    std::uint64_t value;

    [[nodiscard]] std::uint32_t low() const { return static_cast<std::uint16_t>(value >> 16U); }
    [[nodiscard]] std::uint32_t high() const { return static_cast<std::uint16_t>(value); }
    [[nodiscard]] std::uint32_t size() const { return (high() - low()) & 0xffffU; }
    // The word that comes after, with the next generation.
    [[nodiscard]] std::uint64_t next(std::uint32_t low, std::uint32_t high) const {
      return ((value >> 32U) + 1) << 32U | std::uint64_t{low & 0xffffU} << 16U | (high & 0xffffU);
    }
  };

  [[nodiscard]] Word look() const {
    // DESK: meets the swap that made this word.
    return {word_.load(std::memory_order_acquire)};
  }

  // Takes up to out.size() descriptors and answers how many. None: it is empty, or (seldom)
  // others were faster.
  std::size_t take(std::span<Posted> out) {
    Word word = look();
    for (unsigned tries = 0; tries < kTries; ++tries) {
      const auto count = static_cast<std::uint32_t>(std::min<std::size_t>(word.size(), out.size()));
      if (count == 0) return 0;
      for (std::uint32_t n = 0; n < count; ++n) out[n] = load_entry(word.low() + n);
      if (swap(word, word.next(word.low() + count, word.high()))) return count;
    }
    return 0;
  }

  // The owner's: `posted` is the next to be taken. False: there is no room.
  bool put_back(const Posted& posted) {
    Word word = look();
    // Only takes can get in between, and there are no more of those than entries.
    while (word.size() < kRoom) {
      const std::uint32_t low = word.low() - 1U;
      store_entry(low, posted);
      if (swap(word, word.next(low, word.high()))) return true;
    }
    return false;
  }

  // The owner's: an entry that does not count before extend().
  void fill(std::uint32_t at, const Posted& posted) { store_entry(at, posted); }

  // Makes the `count` entries behind `found`, which was empty, count; unless the word has changed.
  void extend(Word found, std::uint32_t count) {
    static_cast<void>(swap(found, found.next(found.high(), found.high() + count)));
  }

  // Whether this seat was free, and is the caller's now.
  bool sit_down() {
    std::uint32_t free = 0;
    // DESK: meets stand_up().
    return seated_.compare_exchange_strong(free, 1, std::memory_order_acquire,
                                           std::memory_order_relaxed);
  }

  void stand_up() {
    // DESK: all that this producer did here happens before the next one sits down.
    seated_.store(0, std::memory_order_release);
  }

 private:
  // Above what siblings who keep going can take from under us; then it is "again".
  static constexpr unsigned kTries = 16;

  void store_entry(std::uint32_t at, const Posted& posted) {
    auto* const words = &entries_[2 * (at & (kRoom - 1))];
    // No edges: the word orders its entries, DESK.
    words[0].store(posted.offset, std::memory_order_relaxed);
    words[1].store(posted_word(0, posted.index, posted.capacity), std::memory_order_relaxed);
  }

  Posted load_entry(std::uint32_t at) {
    auto* const words = &entries_[2 * (at & (kRoom - 1))];
    // No edges: the word orders its entries, DESK.
    const std::uint64_t offset = words[0].load(std::memory_order_relaxed);
    const std::uint64_t word = words[1].load(std::memory_order_relaxed);
    return {offset, word >> 24U, static_cast<std::uint16_t>(word >> 8U)};
  }

  bool swap(Word& expected, std::uint64_t desired) {
    // DESK: our copies, and the entries we wrote, happen before what follows this word.
    return word_.compare_exchange_strong(expected.value, desired, std::memory_order_acq_rel,
                                         std::memory_order_acquire);
  }

  alignas(kCacheLine) Atomic<std::uint64_t> word_{0};
  Atomic<std::uint32_t> seated_{0};
  alignas(kCacheLine) std::array<Atomic<std::uint64_t>, std::size_t{2} * kRoom> entries_{};
};

}  // namespace comch::shm
