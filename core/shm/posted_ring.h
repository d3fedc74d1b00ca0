// PostedRing: how a consumer tells another process which buffers it has posted. It lies in
// memory of the consumer's making; the consumer's thread writes it, and the producing process
// reads it through a Desk (desk.h).
//
//   line 0   consumer's  data_bell     "ring me when data comes"
//   line 1   consumer's  run           how many are posted, and what the newest have in common:
//                                      posted_run.h
//   slots    consumer's  descriptors of 16 bytes, four to a line, elsewhere
//
//   descriptor   word 0   offset of the posted room in the consumer's memory map, or
//                         kNoBuffer: immediate data only
//                word 1   generation (8)  index (16)  capacity (40), from the lowest bit
//
// Rules:
//
//  1. Word 1 publishes the descriptor and is stored last. Its generation is the lap, counted
//     from one: a slot that still holds the lap before, or nothing, is not taken for a new one.
//  2. There are at least twice as many slots as the consumer may have posted (its depth). So
//     the consumer does not write where the producers read, and a reader has time: the slot of
//     a descriptor that nobody has taken is not written again. Proof: when descriptor n is
//     posted, at most `depth` of the descriptors 0..n are not completed, and a completed one
//     was taken. They are taken in order, so that n + 1 - depth are. The slot of n held
//     n - slots, which is below that, and so is every one before.
//  3. A batch of posts withholds the first one's word 1 to the end: nothing of it is seen before
//     all of it is there. A producer that waits for it would take the line away from under the
//     consumer, and its processor the next ones. But a batch is no longer than a quarter of the
//     depth: else both sides would take turns, each waiting for the other's batch to end.
//  4. The index means nothing to the producers, who send it back. Offset and capacity are
//     checked against a size that the reader got from the kernel.
//  5. The run is published behind the descriptors that it counts.
//
// Ordering:
//
//   POST   consumer's word 1 or run store(release) -> reader's load(acquire)
//          word 0 is visible before word 1; and everything that the consumer read before it
//          posted is read before a producer acts on the descriptor, or on the run (see lane.h).
//
// Threads: the writer belongs to the consumer's thread; a reader has no state and any number
// of threads may use one. Lifetime: both refer to the shared memory and are outlived by it.
// Zero bytes are a valid initial state. Errors: a reader answers kBroken.
// Tests: posted_ring_test.cc, posted_model.cc, posted_race.cc, lane_model.cc,
// hostile_posted_fuzz.cc.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include "shm/bell.h"
#include "shm/fast_machine.h"
#include "shm/posted_run.h"
#include "shm/record_ring.h"
#include "shm/untrusted.h"

namespace comch::shm {

template <class Machine = FastMachine>
struct PostedShared {
  alignas(kCacheLine) Bell<Machine> data_bell;
  alignas(kCacheLine) Untrusted<std::uint64_t, Machine> run;
};
static_assert(sizeof(PostedShared<>) == 2 * kCacheLine);

// One posted buffer, as a producer sees it: a checked copy.
struct Posted {
  std::uint64_t offset = 0;    // Of the room behind the buffer's data, in the memory map.
  std::uint64_t capacity = 0;  // Bytes of that room.
  std::uint16_t index = 0;     // The consumer's name for it.

  [[nodiscard]] bool has_buffer() const;
  friend bool operator==(const Posted&, const Posted&) = default;
};

inline constexpr std::uint64_t kNoBuffer = ~std::uint64_t{0};  // As an offset.
inline constexpr std::uint64_t kMaxPostedCapacity = (std::uint64_t{1} << 40U) - 1;
inline constexpr std::uint32_t kMaxDepth = 8192;  // Posted buffers of one consumer.
inline constexpr std::uint32_t kPostedSize = 16;  // Bytes of a descriptor.
inline constexpr std::uint32_t kPostedPerLine = kCacheLine / kPostedSize;
inline constexpr std::uint32_t kPostedTogether = 16;  // The longest batch.

inline bool Posted::has_buffer() const { return offset != kNoBuffer; }

constexpr std::uint64_t posted_word(std::uint8_t generation, std::uint16_t index,
                                    std::uint64_t capacity) {
  return generation | std::uint64_t{index} << 8U | capacity << 24U;
}

// Slots for a consumer that posts at most `depth` buffers: whole lines, and at least two.
constexpr std::uint32_t posted_slots(std::uint32_t depth) {
  return std::max(std::bit_ceil(2 * depth), 2 * kPostedPerLine);
}
static_assert(posted_slots(1) == 8 && posted_slots(256) == 512 && posted_slots(257) == 1024);

// The length of a batch in a ring of so many slots.
constexpr std::uint32_t posted_together(std::uint32_t slots) {
  return std::clamp(slots / 8, kPostedPerLine, kPostedTogether);
}
static_assert(posted_together(posted_slots(16)) == 4 && posted_together(posted_slots(256)) == 16);

// The lap of a position, as its descriptors say it, in a ring of 2^lap_shift slots.
template <std::unsigned_integral Position>
constexpr std::uint8_t posted_generation(Position position, int lap_shift) {
  return static_cast<std::uint8_t>((position >> lap_shift) + 1U);
}

// The consumer's half.
template <class Machine = FastMachine, std::unsigned_integral Position = std::uint32_t>
class PostedWriter {
 public:
  using Data = typename Machine::Data;

  // `slots`: of posted_slots(), and few enough for Position to count two laps.
  // `run`: the word of it.
  PostedWriter(Data run, Data ring, std::uint32_t slots)
      : shared_run_(run), ring_(ring), slots_(slots) {
    assert(std::has_single_bit(slots) && slots >= kPostedPerLine);
    assert(slots <= static_cast<Position>(~Position{0}) / 2);
  }

  // Posts the `capacity` bytes at `offset` under `index`; the producers learn of it at publish(),
  // or when the batch has its length. The caller has at most `depth` posted and not completed.
  void post(std::uint16_t index, std::uint64_t offset, std::uint64_t capacity) {
    Walk(*this).post(index, offset, capacity);
  }
  // The same in a loop, which it keeps from reading our members again for each post.
  class Walk;

  // Goes on with a batch: posts at most `most` of one capacity that have their slots as indexes, as
  // those of a pool mostly are. next(index) answers the offset, or kNoBuffer if the next one is
  // another. Answers how many it has posted, which end with the batch or the lap. The first of a
  // batch is for post().
  template <class Next>
  [[gnu::always_inline]] std::uint32_t post_alike(std::uint64_t capacity, std::size_t most,
                                                  Next next);

  // Posts no buffer: for a message that is immediate data alone.
  void post_without_buffer(std::uint16_t index) { post(index, kNoBuffer, 0); }

  // Exposes what was posted. True: there was something; producers that sleep for it are to be
  // woken (ask their bells).
  bool publish() {
    if (held_ == 0) return false;
    held_ = 0;
    // POST: the batch, and our reading of what was sent before, happen before this is seen.
    Machine::store_header(ring_, first_at_, first_word_, std::memory_order_release);
    // POST: the same for who reads no descriptor.
    Machine::store_header(shared_run_, 0, run_.word(), std::memory_order_release);
    return true;
  }

  [[nodiscard]] std::uint32_t held() const { return held_; }  // Posted, and not yet exposed.

 private:
  const Data shared_run_;
  const Data ring_;
  const std::uint32_t slots_;
  const std::uint32_t together_ = posted_together(slots_);
  const int lap_shift_ = std::countr_zero(slots_);
  PostedRun<Position> run_;  // Of the descriptors posted so far.
  std::uint32_t held_ = 0;
  std::size_t first_at_ = 0;  // Of the first that is held: its word 1, and what belongs there.
  std::uint64_t first_word_ = 0;
};

template <class Machine, std::unsigned_integral Position>
class PostedWriter<Machine, Position>::Walk {
 public:
  explicit Walk(PostedWriter& writer)
      : writer_(writer),
        ring_(writer.ring_),
        mask_(static_cast<Position>(writer.slots_ - 1)),
        run_(writer.run_),
        held_(writer.held_) {}
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;
  ~Walk() {
    writer_.run_ = run_;
    writer_.held_ = held_;
  }

  // The slot of the next descriptor: the index to give it, if that is free.
  [[nodiscard]] std::uint16_t next_slot() const {
    return static_cast<std::uint16_t>(run_.end() & mask_);
  }

  void post(std::uint16_t index, std::uint64_t offset, std::uint64_t capacity) {
    assert(capacity <= kMaxPostedCapacity);
    const std::size_t at = std::size_t{next_slot()} * kPostedSize;
    const std::uint64_t word =
        posted_word(posted_generation(run_.end(), writer_.lap_shift_), index, capacity);
    run_.add(index == next_slot(), capacity);
    Machine::store_word(ring_, at, offset);
    if (held_ == 0) {
      writer_.first_at_ = at + 8;
      writer_.first_word_ = word;
    } else {
      // No edge: nobody looks here before the first of the batch, which is released behind.
      Machine::store_header(ring_, at + 8, word, std::memory_order_relaxed);
    }
    if (++held_ < writer_.together_) return;
    writer_.held_ = held_;
    writer_.run_ = run_;
    writer_.publish();
    held_ = 0;
  }

 private:
  PostedWriter& writer_;
  const Data ring_;
  const Position mask_;
  PostedRun<Position> run_;
  std::uint32_t held_;
};

// The word of each is that of the one before but for the index, so that a loop over them asks for
// nothing else.
template <class Machine, std::unsigned_integral Position>
template <class Next>
inline std::uint32_t PostedWriter<Machine, Position>::post_alike(std::uint64_t capacity,
                                                                 std::size_t most, Next next) {
  assert(capacity <= kMaxPostedCapacity);
  if (held_ == 0) return 0;
  const Data ring = ring_;
  const std::uint32_t first = run_.end() & (slots_ - 1);
  const std::size_t room = std::min(slots_ - first, together_ - held_);
  const auto until = first + static_cast<std::uint32_t>(std::min(room, most));
  std::uint64_t word = posted_word(posted_generation(run_.end(), lap_shift_),
                                   static_cast<std::uint16_t>(first), capacity);
  std::uint32_t slot = first;
  for (; slot != until; ++slot) {
    const std::uint64_t offset = next(static_cast<std::uint16_t>(slot));
    if (offset == kNoBuffer) break;
    const std::size_t at = std::size_t{slot} * kPostedSize;
    Machine::store_word(ring, at, offset);
    // No edge: nobody looks here before the first of the batch, which is released behind.
    Machine::store_header(ring, at + 8, word, std::memory_order_relaxed);
    word += posted_word(0, 1, 0);
  }
  const std::uint32_t posted = slot - first;
  run_.add(true, capacity, posted);
  held_ += posted;
  if (held_ == together_) publish();
  return posted;
}

// What the producing process reads. The position is its caller's.
template <class Machine = FastMachine, std::unsigned_integral Position = std::uint32_t>
class PostedReader {
 public:
  using Data = typename Machine::Data;

  // `map_size`: of the consumer's memory map as the kernel told it, or by the way cma the consumer;
  // larger than any when nobody writes by an offset, and it only goes back to its owner.
  PostedReader(Data run, Data ring, std::uint32_t slots, std::uint64_t map_size)
      : run_(run), ring_(ring), slots_(slots), map_size_(map_size) {}

  // Copies the run: what it covers is posted, with its slot as its index.
  [[nodiscard]] PostedRun<Position> run() const {
    // POST: meets the consumer's release in publish().
    return PostedRun<Position>(Machine::load_header(run_, 0, std::memory_order_acquire));
  }
  // The slots of the descriptors at `position` and behind it: slots[0], slots[1], ...
  struct Slots {
    std::uint32_t first;
    std::uint32_t mask;
    std::uint16_t operator[](std::size_t n) const {
      return static_cast<std::uint16_t>((first + static_cast<std::uint32_t>(n)) & mask);
    }
  };
  [[nodiscard]] Slots slots_from(Position position) const { return {position, slots_ - 1}; }

  // Copies the descriptor at `position`.
  //
  // kNothing: it is not posted yet. kBroken: it names what is not in the memory map.
  [[nodiscard]] Look read(Position position, Posted& posted) const {
    const std::size_t at = std::size_t{position & (slots_ - 1)} * kPostedSize;
    // POST: meets the consumer's release in publish().
    const std::uint64_t word = Machine::load_header(ring_, at + 8, std::memory_order_acquire);
    if (static_cast<std::uint8_t>(word) != posted_generation(position, lap_shift_)) {
      return Look::kNothing;
    }
    posted.offset = Machine::load_word(ring_, at);
    posted.capacity = word >> 24U;
    posted.index = static_cast<std::uint16_t>(word >> 8U);
    const bool is_inside = contains(map_size_, {posted.offset, posted.capacity});
    const bool is_none = !posted.has_buffer() && posted.capacity == 0;
    return is_inside || is_none ? Look::kMessage : Look::kBroken;
  }

  // Asks for the line of the descriptors behind `position`, so that it is there when it is read.
  void prefetch(Position position) const {
    const auto next = static_cast<Position>(position + kPostedPerLine - 1);
    Machine::prefetch(ring_, static_cast<std::size_t>(next & (slots_ - 1)) * kPostedSize);
  }

  // Whether read() would answer anything but kNothing.
  [[nodiscard]] bool ready(Position position) const {
    const std::size_t at = std::size_t{position & (slots_ - 1)} * kPostedSize;
    // POST: meets the consumer's release in publish().
    const std::uint64_t word = Machine::load_header(ring_, at + 8, std::memory_order_acquire);
    return static_cast<std::uint8_t>(word) == posted_generation(position, lap_shift_);
  }

 private:
  const Data run_;
  const Data ring_;
  const std::uint32_t slots_;
  const int lap_shift_ = std::countr_zero(slots_);
  const std::uint64_t map_size_;
};

}  // namespace comch::shm
