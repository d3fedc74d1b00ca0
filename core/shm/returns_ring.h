// ReturnsRing: how a consumer gives back the buffers that a producer handed over to it. One
// per lane, in the lane's memory; the consumer writes it and the producer reads it.
//
//   slots   consumer's   8 bytes each, a power of two: sequence (32)  handle (32)
//
// A handle names a buffer in a private table of the producer, which has no more handles than
// the ring has slots. So a slot is always free for whoever holds a handle: the proof is that
// of lane.h, rule 4, with handles for posted buffers. The consumer counts what it holds and
// accepts no more than there are slots.
//
// Ordering:
//
//   RETURN  consumer's slot store(release) -> producer's load(acquire)
//           the consumer has finished with the buffer before the producer uses it again.
//
// Threads: each half belongs to one thread. Lifetime: both refer to the shared memory (the
// reader also to the flags) and are outlived by it. Zero bytes are a valid initial state.
// Tests: returns_ring_test.cc, lane_model.cc, hostile_lane_fuzz.cc.
#pragma once

#include <bit>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "shm/fast_machine.h"
#include "shm/record_ring.h"

namespace comch::shm {

// The consumer's half.
template <class Machine = FastMachine, std::unsigned_integral Position = std::uint32_t>
class ReturnsWriter {
 public:
  using Data = typename Machine::Data;

  ReturnsWriter(Data ring, std::uint32_t slots) : ring_(ring), slots_(slots) {
    assert(std::has_single_bit(slots) && slots <= Position(~Position{0}) / 2);
  }

  // A buffer has been handed over. False: the producer has handed over more than it can have.
  [[nodiscard]] bool accept() {
    if (holding_ == slots_) return false;
    ++holding_;
    return true;
  }

  // Gives back one of the buffers accepted.
  void give_back(std::uint32_t handle) {
    assert(holding_ != 0);
    --holding_;
    const std::size_t at = std::size_t{position_ & (slots_ - 1)} * 8;
    position_ = static_cast<Position>(position_ + 1U);
    // RETURN: our use of the buffer happens before the producer sees this.
    Machine::store_header(ring_, at, position_ | std::uint64_t{handle} << 32U,
                          std::memory_order_release);
  }

  [[nodiscard]] std::uint32_t holding() const { return holding_; }

 private:
  const Data ring_;
  const std::uint32_t slots_;
  std::uint32_t holding_ = 0;
  Position position_ = 0;  // Buffers given back.
};

// The producer's half.
template <class Machine = FastMachine, std::unsigned_integral Position = std::uint32_t>
class ReturnsReader {
 public:
  using Data = typename Machine::Data;

  // `lent`: one flag for each handle, none set, and at most `slots` of them.
  ReturnsReader(Data ring, std::uint32_t slots, std::span<bool> lent)
      : ring_(ring), slots_(slots), lent_(lent) {
    assert(std::has_single_bit(slots) && lent.size() <= slots);
  }

  // The buffer `handle` is about to be handed over.
  void lend(std::uint32_t handle) {
    assert(handle < lent_.size() && !lent_[handle]);
    lent_[handle] = true;
  }

  // A hand-over that was not sent after all.
  void unlend(std::uint32_t handle) { lent_[handle] = false; }

  [[nodiscard]] bool lent(std::uint32_t handle) const { return lent_[handle]; }

  // The next handle to come back, which is free from here on.
  //
  // kBroken: the consumer gave back what it does not have; for good.
  Look take(std::uint32_t& handle) {
    if (broken_) return Look::kBroken;
    const std::size_t at = std::size_t{position_ & (slots_ - 1)} * 8;
    // RETURN: meets the consumer's release in give_back().
    const std::uint64_t word = Machine::load_header(ring_, at, std::memory_order_acquire);
    const auto next = static_cast<Position>(position_ + 1U);
    if (static_cast<std::uint32_t>(word) != next) return Look::kNothing;
    const auto given = static_cast<std::uint32_t>(word >> 32U);
    if (given >= lent_.size() || !lent_[given]) {
      broken_ = true;
      return Look::kBroken;
    }
    position_ = next;
    lent_[given] = false;
    handle = given;
    return Look::kMessage;
  }

  // Whether take() would answer anything but kNothing.
  [[nodiscard]] bool ready() const {
    const std::size_t at = std::size_t{position_ & (slots_ - 1)} * 8;
    // RETURN: meets the consumer's release in give_back().
    const std::uint64_t word = Machine::load_header(ring_, at, std::memory_order_acquire);
    return broken_ || static_cast<std::uint32_t>(word) == static_cast<Position>(position_ + 1U);
  }

  [[nodiscard]] bool broken() const { return broken_; }

 private:
  const Data ring_;
  const std::uint32_t slots_;
  const std::span<bool> lent_;
  Position position_ = 0;  // Buffers taken back.
  bool broken_ = false;
};

}  // namespace comch::shm
