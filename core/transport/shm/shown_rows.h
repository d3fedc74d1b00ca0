// ShownRows: how many messages of which lanes are shown to the application and not released, the
// oldest first. Messages that one lane has shown one behind the other are a row.
//
//   if (rows.takes(lane)) rows.add(lane, shown);
//   rows.release(count, [](InLane& lane, std::size_t messages) { ... });
//
// Threads: the consumer's. Lifetime: a lane outlives its rows. Errors: see each call.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>

namespace comch::transport::shm {

template <class Lane>
class ShownRows {
 public:
  static constexpr std::size_t kMost = 64;  // Rows.

  // Whether add() may be called for messages of the lane.
  bool takes(const Lane& lane) const { return rows_ != kMost || last().lane == &lane; }

  void add(Lane& lane, std::size_t messages) {
    assert(messages != 0 && takes(lane));
    messages_ += messages;
    if (rows_ != 0 && last().lane == &lane) {
      last().messages += messages;
      return;
    }
    ++rows_;
    last() = {.lane = &lane, .messages = messages};
  }

  // Forgets the `count` oldest messages, and tells `give(lane, messages)` whose they were. False:
  // there are not so many, and nothing was done.
  template <class Give>
  bool release(std::size_t count, Give&& give) {
    if (count > messages_) return false;
    messages_ -= count;
    while (count != 0) {
      Row& oldest = row_[first_ % kMost];
      const std::size_t now = std::min(count, oldest.messages);
      give(*oldest.lane, now);
      count -= now;
      oldest.messages -= now;
      if (oldest.messages != 0) break;
      ++first_;
      --rows_;
    }
    return true;
  }

  std::size_t messages() const { return messages_; }

 private:
  struct Row {
    Lane* lane = nullptr;
    std::size_t messages = 0;
  };
  Row& last() { return row_[(first_ + rows_ - 1) % kMost]; }
  const Row& last() const { return row_[(first_ + rows_ - 1) % kMost]; }

  std::array<Row, kMost> row_;  // A circle.
  std::size_t first_ = 0;
  std::size_t rows_ = 0;
  std::size_t messages_ = 0;
};

}  // namespace comch::transport::shm
