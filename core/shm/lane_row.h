// LaneReader::Row: the messages that are left of a row, once a look() has found one; a Walk is over
// by then. lane.h has what a row is.
//
//   for (LaneReader<>::Row row(reader); row.left() != 0; row.pass()) row.copy(to);
//
// The index and the length against the posted buffer are the caller's to check; everything else a
// look() has. One row at a time, and nothing else of the reader's is called meanwhile.
//
// Threads, lifetime: the reader's. Errors: none.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "shm/lane_walk.h"

namespace comch::shm {

template <class Machine, std::unsigned_integral Position>
class LaneReader<Machine, Position>::Row {
 public:
  explicit Row(LaneReader& reader)
      : reader_(reader),
        slots_(reader.slots_),
        mask_(static_cast<Position>(reader.shape_.slots - 1)),
        indexes_(reader.shape_.indexes - 1),
        until_head_(reader),
        row_(reader.row_),
        position_(reader.position_) {
    for (Position n = 1; n < kAhead; ++n) prefetch(n);
  }
  ~Row() {
    reader_.kept_ += kept_;  // First: what is kept is not free.
    tell_reader();
    reader_.publish_head_if_due();  // What was passed quietly is not counted.
  }
  Row(const Row&) = delete;
  Row& operator=(const Row&) = delete;

  std::uint32_t left() const { return row_.left; }
  // Of each, and of the next one's buffer.
  std::uint32_t length() const { return row_.length; }
  std::uint16_t index() const { return row_.index; }

  // As a Walk's.
  void copy(std::byte* to) const {
    copy_plain_out<Machine>(to, slots_, place_of(position_) + kRowDataAt, row_.length);
  }
  Data data() const { return slots_ + place_of(position_) + kRowDataAt; }
  void pass() {
    pass_quietly();
    tell_reader();
    until_head_.pass(reader_);
  }
  // The reader hears of it at the end: for who calls nobody back meanwhile.
  void pass_quietly() {
    prefetch(kAhead);
    position_ = static_cast<Position>(position_ + 1U);
    row_.index = static_cast<std::uint16_t>((row_.index + 1U) & indexes_);
    --row_.left;
  }
  void keep() {
    pass_quietly();
    ++kept_;
  }

 private:
  std::size_t place_of(Position position) const {
    return static_cast<std::size_t>(position & mask_) * kLaneSlot;
  }
  void prefetch(Position ahead) const {
    Machine::prefetch(slots_, place_of(static_cast<Position>(position_ + ahead)) + kRowDataAt);
  }
  void tell_reader() {
    // Member by member, for the whole would have to be put together in memory each time.
    reader_.position_ = position_;
    reader_.row_.left = row_.left;
    reader_.row_.index = row_.index;
  }

  LaneReader& reader_;
  const Data slots_;
  const Position mask_;
  const std::uint32_t indexes_;  // Less one.
  CountToHead until_head_;
  RowLeft row_;
  Position position_;
  std::uint32_t kept_ = 0;
};

}  // namespace comch::shm
