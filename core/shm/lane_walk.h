// LaneReader::Walk: a way over the messages that are plain, as most are: what look() says of them,
// in a loop. What the loop needs is held in locals, for payload that is copied may lie anywhere, so
// that members would be read again for each message.
//
//   LaneReader<>::Walk walk(reader);
//   while (walk.look(index, length) == Plain::kInline) { walk.copy(to, length); walk.pass(); }
//   // Plain::kRow: the walk is over, and lane_row.h goes on. Plain::kOther: reader.look() does.
//
// One walk at a time, and nothing else of the reader's is called meanwhile. The index and the
// length against the posted buffer are the caller's to check; every other check of
// LaneReader::look() holds for what is plain.
//
// Threads, lifetime: the reader's. Errors: none; what is wrong is kOther.
#pragma once

#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include "shm/lane_reader.h"

namespace comch::shm {

template <class Machine, std::unsigned_integral Position>
class LaneReader<Machine, Position>::Walk {
 public:
  explicit Walk(LaneReader& reader)
      : reader_(reader),
        slots_(reader.slots_),
        mask_(static_cast<Position>(reader.shape_.slots - 1)),
        until_head_(reader),
        may_be_plain_(reader.may_be_plain()),
        position_(reader.position_) {}

  Plain look(std::uint16_t& index, std::uint64_t& length) {
    return has_next() ? describe(index, length) : Plain::kNothing;
  }
  // The same in two steps: whether there is one, perhaps one that is not plain, and then what it
  // says.
  bool has_next() {
    if (!may_be_plain_) [[unlikely]]
      return true;
    if (is_message(slots_, place(), position_, word_)) return true;
    reader_.waited_ = true;
    // The slot's second line is not asked for: the writer has it, and writes it first.
    return false;
  }
  Plain describe(std::uint16_t& index, std::uint64_t& length) const {
    if (!may_be_plain_) [[unlikely]]
      return reader_.row_.left != 0 ? Plain::kRow : Plain::kOther;
    if (!reader_.waited_) prefetch_ahead();
    // Of immediate data the upper bits would tell, as of a row; 0 wraps round.
    length = Machine::load_word(slots_, place() + 8);
    index = static_cast<std::uint16_t>(word_ >> 32U);
    const auto kind = static_cast<LaneKind>(word_ >> 48U);
    if (kind == LaneKind::kInline && length - 1 < kLanePayload) return Plain::kInline;
    if (kind == LaneKind::kDirect && length - 1 < kMaxLaneLength) return Plain::kDirect;
    return kind == LaneKind::kRow && begin_row(index, length) ? Plain::kRow : Plain::kOther;
  }

  // Copies the data of the inline message that look() has just found.
  void copy(std::byte* to, std::uint64_t length) const {
    assert(length <= kLanePayload);
    copy_plain_out<Machine>(to, slots_, place() + kPlainDataAt, length);
  }
  // Where it lies.
  Data data() const { return slots_ + place() + kPlainDataAt; }

  // pop() and keep() of it.
  void pass() {
    advance();
    until_head_.pass(reader_);
  }
  void keep() {
    assert(reader_.shape_.head_credit);
    advance();
    ++reader_.kept_;
  }

 private:
  // False: no correct writer says that, and look() finds out.
  [[gnu::noinline]] bool begin_row(std::uint16_t index, std::uint64_t lengths) const {
    const LaneRecord row{.length = lengths & kMaxLaneLength,
                         .immediate = static_cast<std::uint32_t>(lengths >> 48U),
                         .index = index,
                         .kind = LaneKind::kRow};
    const bool is_sound = reader_.check_.is_sound(row);
    if (is_sound) reader_.begin_row(row);
    return is_sound;
  }
  std::size_t place() const { return place_of(position_); }
  std::size_t place_of(Position position) const {
    return static_cast<std::size_t>(position & mask_) * kLaneSlot;
  }
  void prefetch_ahead() const {
    const std::size_t at = place_of(static_cast<Position>(position_ + kAhead));
    Machine::prefetch(slots_, at);
    Machine::prefetch(slots_, at + kCacheLine);
  }
  void advance() {
    position_ = static_cast<Position>(position_ + 1U);
    reader_.position_ = position_;
    reader_.waited_ = false;
  }

  LaneReader& reader_;
  const Data slots_;
  const Position mask_;
  CountToHead until_head_;
  const bool may_be_plain_;
  Position position_;
  std::uint64_t word_ = 0;  // Of the next message.
};

}  // namespace comch::shm
