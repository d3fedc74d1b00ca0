// LaneReader: the consumer's half of a Lane; lane.h has its layout, its rules and its orders.
//
//   while (reader.look(record) == Look::kMessage) { ...; reader.pop(record); }
//   if (reader.flush()) ring_the_producer();
//
// That takes any message. For those that are as most are there are shorter ways: Walk, Row and
// Awaited.
//
// In a lane with head credit a message may be *kept*: it is passed, and its slot stays as it is
// until release(). Slots are released in the order of their messages.
//
// Threads: the consumer's. Lifetime: refers to the shared memory and is outlived by it.
// Errors: kBroken, for good. Tests: lane_reader_test.cc, and those of lane.h.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include "shm/lane.h"
#include "shm/record_check.h"
#include "shm/record_ring.h"

namespace comch::shm {

template <class Machine = FastMachine, std::unsigned_integral Position = std::uint32_t>
class LaneReader {
 public:
  using Shared = LaneShared<Machine, Position>;
  using Data = typename Machine::Data;

  // The same numbers as the writer's.
  LaneReader(Shared& shared, Data slots, Data side, const LaneShape& shape)
      : shared_(shared),
        slots_(slots),
        side_(side),
        shape_(shape),
        lazy_(std::max(shape.slots / 8, 1U)),
        check_(shape) {
    assert(std::has_single_bit(shape.slots) && shape.slots <= Position(~Position{0}) / 2);
  }

  // Of a message: data alone (in its slot, or in the posted buffer), the next of a row, or look()
  // has to say.
  enum class Plain : std::uint8_t { kNothing, kInline, kDirect, kRow, kOther };
  class Walk;     // lane_walk.h
  class Row;      // lane_row.h
  class Awaited;  // lane_awaited.h

  // Copies what the next message says of itself. The message stays until pop() or keep().
  //
  // The index and, but for staged chunks, jobs and hand-overs, the length against the posted
  // buffer are the caller's to check: posted_table.h. So are the map of a job or a hand-over and
  // its range: the reader does not know them.
  Look look(LaneRecord& record) {
    if (broken_) return Look::kBroken;
    if (row_.left == 0) {
      std::uint64_t word = 0;
      if (!is_next(word)) return Look::kNothing;
      const std::size_t at = place();
      const std::uint64_t lengths = Machine::load_word(slots_, at + 8);
      record.index = static_cast<std::uint16_t>(word >> 32U);
      record.kind = static_cast<LaneKind>(word >> 48U);
      record.length = lengths & kMaxLaneLength;
      record.immediate = static_cast<std::uint32_t>(lengths >> 48U);
      if (has_control(record.kind)) {
        record.control = {Machine::load_word(slots_, at + 16), Machine::load_word(slots_, at + 24)};
      }
      if (!check_.is_sound(record)) [[unlikely]] {
        broken_ = true;
        return Look::kBroken;
      }
      if (record.kind == LaneKind::kRow) begin_row(record);
    }
    if (row_.left != 0) {
      record = {.length = row_.length, .index = row_.index, .kind = LaneKind::kRow};
    }
    return Look::kMessage;
  }

  // Whether look() would answer anything but kNothing.
  [[nodiscard]] bool ready() const {
    std::uint64_t word = 0;
    return broken_ || row_.left != 0 || is_next(word);
  }

  // Copies the record.immediate bytes of the record that look() has filled.
  void copy_immediate(std::byte* to, const LaneRecord& record) const {
    const LaneSplit split = split_slot(record.kind, record.length, record.immediate);
    if (split.in_side) {
      copy_words_out<Machine>(to, side_, slot() * shape_.side_stride, record.immediate);
    } else {
      copy_words_out<Machine>(to, slots_, place() + split.immediate_at, record.immediate);
    }
  }

  // Where the two lie, for whoever looks at them in place.
  Data immediate_of(const LaneRecord& record) const {
    const LaneSplit split = split_slot(record.kind, record.length, record.immediate);
    return split.in_side ? side_ + slot() * shape_.side_stride
                         : slots_ + place() + split.immediate_at;
  }
  Data data_of(const LaneRecord& record) const {
    return slots_ + place() + split_slot(record.kind, record.length, record.immediate).data_at;
  }

  // Copies the record.length bytes of an inline record, or of one of a row.
  void copy_data(std::byte* to, const LaneRecord& record) const {
    assert(record.length <= kLanePayload);
    const LaneSplit split = split_slot(record.kind, record.length, record.immediate);
    copy_words_out<Machine>(to, slots_, place() + split.data_at, record.length);
  }

  // The job of a record of that kind; make it once, and pop() when it is finished.
  ChunkJob<Machine> job(const LaneRecord& record) const {
    return ChunkJob<Machine>(slots_, place() + kClaimAt, static_cast<Position>(position_ + 1U),
                             record.length, record.shift());
  }

  // Bytes of a staged message that are still to come behind this record's chunk.
  [[nodiscard]] std::uint64_t left_behind(const LaneRecord& record) const {
    return check_.left_behind(record);
  }

  // Forgets the message that look() has just found. In a lane without head credit its slot goes
  // back to the writer when the caller posts again; else seldom, and at flush().
  void pop(const LaneRecord& record) {
    check_.pass(record);
    pass();
    publish_head_if_due();
  }

  // In a lane with head credit: passes the message that look() has just found, and keeps its slot.
  void keep(const LaneRecord& record) {
    assert(shape_.head_credit);
    check_.pass(record);
    pass();
    ++kept_;
  }

  // Ends the keeping of the `count` oldest that are kept. flush() gives their slots back.
  void release(std::uint32_t count) {
    assert(count <= kept_);
    kept_ -= count;
  }

  // Gives all room back. True: the writer got some since the last flush(); ask whether its
  // space bell must be rung. Call it when look() finds nothing, and before sleeping.
  [[nodiscard]] bool flush() {
    if (shape_.head_credit && free_to() != published_) publish_head();
    if (!gave_room_) [[likely]]
      return false;
    gave_room_ = false;
    return true;
  }

  // The word that look() looks at, as long as nothing is passed, and what it says now. Null: there
  // is a message, or look() has more to look at.
  [[nodiscard]] const std::uint64_t* sign(std::uint64_t& word) const {
    if (broken_ || check_.is_open() || row_.left != 0 || is_next(word)) return nullptr;
    return reinterpret_cast<const std::uint64_t*>(slots_ + place());
  }

  // To be called when anything but an Awaited has found something: guesses which buffer the next
  // message is for, by what was passed last. Its slot is read again, which the writer may have
  // changed.
  void await_next() {
    awaits_ = !shape_.head_credit && may_be_plain();
    const auto last = static_cast<Position>(position_ - 1U);
    // No edge: it is a guess.
    const std::uint64_t word =
        Machine::load_header(slots_, place_of(last), std::memory_order_relaxed);
    ahead_ = static_cast<std::uint32_t>(word >> 32U) - last;
  }

  // The last look found nothing: what comes next comes by itself, most likely.
  [[nodiscard]] bool waited() const { return waited_; }
  [[nodiscard]] Position position() const { return position_; }
  [[nodiscard]] std::uint32_t kept() const { return kept_; }
  [[nodiscard]] bool broken() const { return broken_; }

 private:
  // Where a message is behind another there are mostly more: their lines come while this one is
  // dealt with. Nearer, and they would be asked for too late; farther, and they would be taken from
  // under the writer, as they would be of one that answers message by message.
  static constexpr Position kAhead = 8;

  // What is left of the row that is being read.
  struct RowLeft {
    std::uint32_t left = 0;    // Messages.
    std::uint32_t length = 0;  // Of each.
    std::uint16_t index = 0;   // Of the next one's buffer.
  };

  std::size_t slot() const { return position_ & (shape_.slots - 1); }
  std::size_t place() const { return place_of(position_); }
  std::size_t place_of(Position position) const {
    return static_cast<std::size_t>(position & (shape_.slots - 1)) * kLaneSlot;
  }
  std::uint16_t index_behind(std::uint16_t index) const {
    return static_cast<std::uint16_t>((index + 1U) & (shape_.indexes - 1));
  }
  // No row or staged message is under way, and nothing is wrong.
  bool may_be_plain() const { return !broken_ && !check_.is_open() && row_.left == 0; }

  // Of a record that is sound.
  void begin_row(const LaneRecord& row) {
    row_ = {.left = row.immediate,
            .length = static_cast<std::uint32_t>(row.length),
            .index = static_cast<std::uint16_t>(row.index & (shape_.indexes - 1))};
  }

  bool is_next(std::uint64_t& word) const { return is_message(slots_, place(), position_, word); }

  // Word 0 of the slot at `at`, and whether it is that of message `position`.
  static bool is_message(Data slots, std::size_t at, Position position, std::uint64_t& word) {
    // LANE: meets the writer's release in publish().
    word = Machine::load_header(slots, at, std::memory_order_acquire);
    return static_cast<std::uint32_t>(word) == static_cast<Position>(position + 1U);
  }

  void pass() {
    position_ = static_cast<Position>(position_ + 1U);
    if (row_.left == 0) return;
    --row_.left;
    row_.index = index_behind(row_.index);
  }
  // Everything before it is free.
  Position free_to() const { return static_cast<Position>(position_ - kept_); }

  void publish_head_if_due() {
    if (shape_.head_credit && static_cast<Position>(free_to() - published_) >= lazy_) {
      publish_head();
    }
  }

  // Publishes the head as publish_head_if_due() does. Counting down is two instructions for each
  // message, and asking how far the head is behind ten.
  class CountToHead {
   public:
    explicit CountToHead(const LaneReader& reader) {
      if (!reader.shape_.head_credit) return;
      const Position passed = static_cast<Position>(reader.free_to() - reader.published_);
      left_ = passed < reader.lazy_ ? reader.lazy_ - passed : 1;
    }
    void pass(LaneReader& reader) {
      if (--left_ != 0) [[likely]]
        return;
      if (reader.shape_.head_credit) reader.publish_head();
      left_ = reader.lazy_;
    }

   private:
    std::uint32_t left_ = ~std::uint32_t{0};
  };

  void publish_head() {
    published_ = free_to();
    gave_room_ = true;
    // SPACE: our copies happen before the writer sees that the slots are free.
    shared_.head.publish(published_, std::memory_order_release);
  }

  Shared& shared_;
  const Data slots_;
  const Data side_;
  const LaneShape shape_;
  const std::uint32_t lazy_;  // Publish the head after so many.
  Position position_ = 0;     // Messages read.
  Position published_ = 0;    // What we last published as the head.
  std::uint32_t kept_ = 0;    // Messages read whose slots are not free yet: the last ones.
  RecordCheck check_;
  RowLeft row_;
  // The next message is as most are, and its buffer so many ahead of its position: a guess.
  bool awaits_ = false;
  std::uint32_t ahead_ = 0;
  bool waited_ = false;     // The last look of a Walk found nothing.
  bool gave_room_ = false;  // Since the last flush().
  bool broken_ = false;
};

}  // namespace comch::shm
