// Bounce: a producer's book of its lane's bounce area: which bytes hold a piece of a message that
// the consumer has not read yet. The pieces lie one behind the other in a circle.
//
//   bounce.free_before(writer.head());
//   const Range room = bounce.room(left);             // Empty: there is none.
//   bounce.take(room.length, writer.position());      // The slot that will speak of the piece.
//
// Threads: the producer's. Lifetime: a value. Errors: none; the reader's head is checked.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "shm/untrusted.h"

namespace comch::transport::shm {

class Bounce {
 public:
  // Of `size` bytes, a power of two, or 0: there is none; beside a lane of so many slots.
  Bounce(std::uint64_t size, std::uint32_t slots) : size_(size), pieces_(size == 0 ? 0 : slots) {}

  // Where the next piece may lie, of `most` bytes or as many as there are in a row.
  comch::shm::Range room(std::uint64_t most) const {
    const std::uint64_t at = size_ == 0 ? 0 : written_ & (size_ - 1);
    return {at, std::min({most, size_ - at, size_ - (written_ - freed_)})};
  }
  // The slot of `position` speaks of the first `length` bytes of the room. There are never more
  // pieces that are not read than the lane has slots.
  void take(std::uint64_t length, std::uint32_t position) {
    assert(length <= room(length).length && count_ < pieces_.size());
    written_ += length;
    pieces_[(first_ + count_++) % pieces_.size()] = {written_, position};
  }
  // The consumer has read all slots before that of `head`.
  void free_before(std::uint32_t head) {
    while (count_ != 0 && static_cast<std::int32_t>(head - pieces_[first_].position) > 0) {
      freed_ = pieces_[first_].end;
      first_ = (first_ + 1) % pieces_.size();
      --count_;
    }
  }

 private:
  struct Piece {
    std::uint64_t end = 0;  // What is written up to here.
    std::uint32_t position = 0;
  };
  const std::uint64_t size_;
  std::uint64_t written_ = 0;  // Bytes, ever.
  std::uint64_t freed_ = 0;    // Bytes, ever.
  std::vector<Piece> pieces_;  // In a circle.
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

}  // namespace comch::transport::shm
