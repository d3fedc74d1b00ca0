// LaneWriter: the producer's half of a Lane; lane.h has its layout, its rules and its orders.
//
//   if (writer.has_room()) writer.put_inline(index, data, immediate);     // And others.
//   if (writer.publish()) ring_the_consumer();
//
// put_...() writes a message that publish() exposes with all those since the last one. For each,
// the caller holds the posted buffer `index`; in a lane with head credit room() says how many may
// be written. Messages of data alone have shorter ways: a Walk, and put_and_publish().
//
// Threads: the producer's. Lifetime: refers to the shared memory and is outlived by it.
// Errors: broken(), for good. Tests: lane_writer_test.cc, and those of lane.h.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "shm/chunk_job.h"
#include "shm/lane.h"
#include "shm/slot_payload.h"

namespace comch::shm {

template <class Machine = FastMachine, std::unsigned_integral Position = std::uint32_t>
class LaneWriter {
 public:
  using Shared = LaneShared<Machine, Position>;
  using Data = typename Machine::Data;
  using Bytes = std::span<const std::byte>;

  // `side`: of side_stride bytes for each slot, or unused if that is 0.
  LaneWriter(Shared& shared, Data slots, Data side, const LaneShape& shape)
      : shared_(shared), slots_(slots), side_(side), shape_(shape) {
    assert(std::has_single_bit(shape.slots) && shape.slots <= Position(~Position{0}) / 2);
  }

  // Messages that may be written now. 0: wait for the reader, or it is broken().
  [[nodiscard]] std::uint32_t room() {
    if (!shape_.head_credit) return shape_.slots;
    if (free_slots() == 0) [[unlikely]]
      fetch_head();
    return broken_ ? 0 : free_slots();
  }

  // room(), for one.
  [[nodiscard]] bool has_room() { return !shape_.head_credit || room() != 0; }

  // Immediate data alone.
  void put_immediate(std::uint16_t index, Bytes immediate) {
    put_header(index, LaneKind::kImmediate, 0, immediate);
  }

  // Data for the consumer to copy into the buffer; fits_inline(shape, ...).
  void put_inline(std::uint16_t index, Bytes data, Bytes immediate) {
    assert(fits_inline(shape_, data.size(), immediate.size()));
    const LaneSplit split = split_slot(LaneKind::kInline, data.size(), immediate.size());
    write_payload<Machine>(slots_, place(), split.data_at, data);
    put_header(index, LaneKind::kInline, data.size(), immediate);
  }

  // The same of data alone, and exposes it, when nothing is withheld.
  void put_and_publish(std::uint16_t index, Bytes data) { put_prepared(prepare(index), data); }

  // The same in two steps, with nothing put in between: what can be known of the next message
  // ahead of it, and the rest.
  struct Prepared {
    std::size_t at = 0;
    std::uint64_t word = 0;
  };
  Prepared prepare(std::uint16_t index) const {
    return {.at = place(), .word = lane_word(sequence(), index, LaneKind::kInline)};
  }
  void put_prepared(Prepared prepared, Bytes data) {
    assert(!withheld_ && data.size() <= kLanePayload && prepared.at == place());
    const Data slots = slots_;  // Payload may lie anywhere: members would be read again behind it.
    write_data<Machine>(slots, prepared.at, data);
    publish_at_once(slots, prepared.at, prepared.word, data.size());
    position_ = static_cast<Position>(position_ + 1U);
  }

  // As put_direct() of data alone, and exposes it, when nothing is withheld.
  void put_direct_and_publish(std::uint16_t index, std::uint64_t length) {
    assert(!withheld_ && length <= kMaxLaneLength);
    const std::size_t at = place();
    position_ = static_cast<Position>(position_ + 1U);
    publish_at_once(slots_, at, lane_word(position_, index, LaneKind::kDirect), length);
  }

  // `length` bytes that are in the posted buffer already.
  void put_direct(std::uint16_t index, std::uint64_t length, Bytes immediate) {
    put_header(index, LaneKind::kDirect, length, immediate);
  }

  // The first chunk of a message of `total` bytes, in the bounce area; immediate data goes
  // with the first.
  void put_staged(std::uint16_t index, std::uint64_t total, Range chunk, Bytes immediate) {
    put_control(chunk.offset, chunk.length);
    put_header(index, LaneKind::kStaged, total, immediate);
  }

  // The next chunk of the same message. Nothing else may come between.
  void put_staged_next(std::uint16_t index, Range chunk) {
    put_control(chunk.offset, chunk.length);
    put_header(index, LaneKind::kStagedNext, chunk.length, {});
  }

  // A message that both sides copy from `source` of the map `map`; is_chunked(length, shift).
  ChunkJob<Machine> put_job(std::uint16_t index, std::uint32_t map, Range source,
                            std::uint32_t shift, Bytes immediate) {
    return put_chunked(LaneKind::kJob, index, map, source, shift, immediate);
  }

  // The same of one that both sides read from the file `file`.
  ChunkJob<Machine> put_reading(std::uint16_t index, std::uint32_t file, Range source,
                                std::uint32_t shift, Bytes immediate) {
    return put_chunked(LaneKind::kReading, index, file, source, shift, immediate);
  }

  // A buffer of the producer's, until the consumer gives `handle` back (returns_ring.h).
  void put_hand_over(std::uint16_t index, std::uint32_t map, std::uint32_t handle, Range buffer,
                     Bytes immediate) {
    put_control(map | std::uint64_t{handle} << 32U, buffer.offset);
    put_header(index, LaneKind::kHandOver, buffer.length, immediate);
  }

  class Walk;

  // Exposes what was put. True: there was something; ask whether the data bell must be rung.
  bool publish() {
    if (!withheld_) return false;
    // LANE: this slot and the batch behind it happen before its first word is seen.
    Machine::store_header(slots_, first_at_, first_word_, std::memory_order_release);
    withheld_ = false;
    return true;
  }

  [[nodiscard]] bool withholds() const { return withheld_; }

  // Where the next put_...() writes.
  [[nodiscard]] Data next_slot() const { return slots_ + place(); }

  // The position that the next put_...() writes to.
  [[nodiscard]] Position position() const { return position_; }

  // Whether the slot of `position` has been written again since.
  [[nodiscard]] bool passed(Position position) const {
    return static_cast<Position>(position_ - position) > shape_.slots;
  }

  // The reader's position when we last looked: what lies before it is read.
  [[nodiscard]] Position head() const { return head_; }

  // Copies the reader's head now; for a writer that is about to sleep, or frees bounce area.
  void look_again() { fetch_head(); }

  [[nodiscard]] bool broken() const { return broken_; }

 private:
  static void publish_at_once(Data slots, std::size_t at, std::uint64_t word,
                              std::uint64_t lengths) {
    Machine::store_word(slots, at + 8, lengths);
    // LANE: the slot happens before its first word is seen.
    Machine::store_header(slots, at, word, std::memory_order_release);
  }

  static constexpr Position kHalf = std::numeric_limits<Position>::max() / 2;

  std::size_t slot() const { return position_ & (shape_.slots - 1); }
  std::size_t place() const { return slot() * kLaneSlot; }
  std::uint32_t sequence() const { return static_cast<Position>(position_ + 1U); }

  // How many messages from `position` on may be a row (rule 6).
  std::size_t row_room(Position position) const {
    const Position in_half = position & kHalf;
    return in_half < shape_.slots ? 0 : std::size_t{kHalf} + 1 - in_half;
  }

  std::uint32_t free_slots() const {
    return shape_.slots - static_cast<Position>(position_ - head_);
  }

  void put_control(std::uint64_t first, std::uint64_t second) {
    Machine::store_word(slots_, place() + 16, first);
    Machine::store_word(slots_, place() + 24, second);
  }

  ChunkJob<Machine> put_chunked(LaneKind kind, std::uint16_t index, std::uint32_t from,
                                Range source, std::uint32_t shift, Bytes immediate) {
    ChunkJob<Machine> job(slots_, place() + kClaimAt, sequence(), source.length, shift);
    job.open();
    put_control(from | std::uint64_t{shift} << 32U, source.offset);
    put_header(index, kind, source.length, immediate);
    return job;
  }

  // Ends the slot: immediate data, word 1, word 0.
  void put_header(std::uint16_t index, LaneKind kind, std::uint64_t length, Bytes immediate) {
    assert(length <= kMaxLaneLength && immediate.size() <= shape_.immediate_max);
    assert(free_slots() != 0 || !shape_.head_credit);
    if (!immediate.empty()) put_immediate_data(kind, length, immediate);
    Walk(*this).put_header(index, kind, length | std::uint64_t{immediate.size()} << 48U);
  }

  void put_immediate_data(LaneKind kind, std::uint64_t length, Bytes immediate) {
    const LaneSplit split = split_slot(kind, length, immediate.size());
    if (split.in_side) {
      copy_words_in<Machine>(side_, slot() * shape_.side_stride, immediate.data(),
                             immediate.size());
    } else {
      write_payload<Machine>(slots_, place(), split.immediate_at, immediate);
    }
  }

  void fetch_head() {
    if (broken_) return;
    // SPACE: meets the reader's release in publish_head().
    const Position head = shared_.head.fetch(std::memory_order_acquire);
    // Between the last one and the position; also catches what moves backwards.
    if (static_cast<Position>(head - head_) > static_cast<Position>(position_ - head_)) {
      broken_ = true;
      return;
    }
    head_ = head;
  }

  Shared& shared_;
  const Data slots_;
  const Data side_;
  const LaneShape shape_;
  Position position_ = 0;  // Messages put.
  Position head_ = 0;      // The last head that made sense.
  std::uint64_t first_word_ = 0;
  std::size_t first_at_ = 0;
  bool withheld_ = false;  // First: of what was put and not published.
  bool broken_ = false;
};

// A way over the slots that messages of data alone are put into, in a loop: as put_inline() and
// put_direct() without immediate data. What the loop needs is held in locals, for payload that is
// copied may lie anywhere, so that members would be read again for each message.
//
// One walk at a time; the writer knows of its messages when it ends.
template <class Machine, std::unsigned_integral Position>
class LaneWriter<Machine, Position>::Walk {
 public:
  explicit Walk(LaneWriter& writer)
      : writer_(writer),
        slots_(writer.slots_),
        mask_(static_cast<Position>(writer.shape_.slots - 1)),
        withholds_(writer.withheld_),
        position_(writer.position_) {}
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;
  ~Walk() { writer_.position_ = position_; }

  void put_inline(std::uint16_t index, Bytes data) {
    assert(data.size() <= kLanePayload);
    write_data<Machine>(slots_, place(), data);
    put_header(index, LaneKind::kInline, data.size());
  }
  void put_direct(std::uint16_t index, std::uint64_t length) {
    put_header(index, LaneKind::kDirect, length);
  }
  // Of the `most` next messages, of 1 to kLanePayload bytes, those that are as long as the first,
  // as a row if they can be one; answers how many. Their buffers' indexes follow one another.
  // `data(n)`: of the n-th.
  template <class Data>
  [[gnu::always_inline]] std::size_t put_alike(std::uint16_t index, std::size_t most, Data data) {
    const Bytes first = data(0);
    const std::size_t length = first.size();
    const std::size_t room = length <= kRowPayload ? std::min(most, row_room()) : 0;
    if (room < 2 || data(1).size() != length) [[unlikely]] {
      put_inline(index, first);
      return 1;
    }
    std::size_t count = 0;
    for (; count != room; ++count) {
      const Bytes message = data(count);
      if (message.size() != length) break;
      const std::size_t at = place_of(static_cast<Position>(position_ + count));
      copy_plain_in<Machine>(slots_, at + kRowDataAt, message.data(), length);
    }
    put_header(index, LaneKind::kRow, length | std::uint64_t{count} << 48U);
    position_ = static_cast<Position>(position_ + count - 1);
    return count;
  }

 private:
  friend class LaneWriter;
  std::size_t row_room() const { return writer_.row_room(position_); }
  std::size_t place() const { return place_of(position_); }
  std::size_t place_of(Position position) const {
    return static_cast<std::size_t>(position & mask_) * kLaneSlot;
  }

  // Ends the slot: word 1, word 0.
  void put_header(std::uint16_t index, LaneKind kind, std::uint64_t lengths) {
    const std::size_t at = place();
    position_ = static_cast<Position>(position_ + 1U);
    Machine::store_word(slots_, at + 8, lengths);
    const std::uint64_t word = lane_word(position_, index, kind);
    if (withholds_) {
      // No edge: nobody looks here before the first of the batch, which is released behind.
      Machine::store_header(slots_, at, word, std::memory_order_relaxed);
    } else {
      writer_.first_at_ = at;
      writer_.first_word_ = word;
      writer_.withheld_ = withholds_ = true;
    }
  }

  LaneWriter& writer_;
  const Data slots_;
  const Position mask_;
  bool withholds_;
  Position position_;
};

}  // namespace comch::shm
