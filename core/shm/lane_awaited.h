// LaneReader::Awaited: the next message, if it is as most are: data alone, in its slot, and for the
// buffer behind that of the last one. All of it but the length and the bytes is known before it is
// there, so that one load and one comparison say that it has come, and that it is that one.
//
//   LaneReader<>::Awaited awaited(reader);
//   if (awaited.is_possible()) switch (awaited.look()) {
//     case Sight::kThis:    ...; awaited.copy(to, length); awaited.pass();
//     case Sight::kOther:   // A Walk or a Row takes it, or look(); then reader.await_next().
//     case Sight::kNothing: // Look again.
//   }
//
// One at a time, and nothing else of the reader's is called meanwhile. That the buffer is posted,
// and how long it is, the caller knows; every other check of LaneReader::look() holds.
//
// Threads, lifetime: the reader's. Errors: none; what is wrong is kOther.
#pragma once

#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include "shm/lane_row.h"

namespace comch::shm {

template <class Machine, std::unsigned_integral Position>
class LaneReader<Machine, Position>::Awaited {
 public:
  enum class Sight : std::uint8_t { kNothing, kThis, kOther };

  explicit Awaited(LaneReader& reader)
      : reader_(reader),
        slots_(reader.slots_),
        at_(reader.place()),
        next_(static_cast<Position>(reader.position_ + 1U)),
        index_(static_cast<std::uint16_t>((reader.position_ + reader.ahead_) &
                                          (reader.shape_.indexes - 1))),
        word_(std::uint64_t{next_} | std::uint64_t{index_} << 32U |
              static_cast<std::uint64_t>(LaneKind::kInline) << 48U) {}

  // False: it is what is left of another one, or has to be kept. Nothing below is to be called.
  bool is_possible() const { return reader_.awaits_; }
  // Of its buffer.
  std::uint16_t index() const { return index_; }

  Sight look() {
    // LANE: meets the writer's release in publish().
    const std::uint64_t word = Machine::load_header(slots_, at_, std::memory_order_acquire);
    if (word == word_) return Sight::kThis;
    if (static_cast<std::uint32_t>(word) == next_) return Sight::kOther;
    reader_.waited_ = true;
    return Sight::kNothing;
  }
  // Of kThis. Read once; above kLanePayload, or 0: a Walk has to say what it is.
  std::uint64_t length() const { return Machine::load_word(slots_, at_ + 8); }
  void copy(std::byte* to, std::uint64_t length) const {
    assert(length <= kLanePayload);
    copy_plain_out<Machine>(to, slots_, at_ + kPlainDataAt, length);
  }
  // pop() of it. Whether it was waited for stays as it is: nobody looks ahead of one that comes by
  // itself.
  void pass() { reader_.position_ = next_; }

 private:
  LaneReader& reader_;
  const Data slots_;
  const std::size_t at_;
  const Position next_;
  const std::uint16_t index_;
  const std::uint64_t word_;
};

}  // namespace comch::shm
