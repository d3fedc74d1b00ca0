// Gathering: the messages of one producer that one consumer is to see together: either tasks that
// are accepted, and not in its lane yet, or messages that are in its lane, and not published.
//
//   gathering.begin(consumer, 64, 112);      // So many, each of at most so many bytes.
//   if (gathering.takes(task) && gathering.add(task)) ...           // It is full: send them.
//   for (ProducerTaskImpl* task : gathering.take()) ...
//
//   gathering.begin_in_lane(consumer, 8);    // So many.
//   if (gathering.takes_in_lane(consumer) && gathering.add_in_lane()) ...     // Publish them.
//
// Threads: the producer's. Lifetime: the tasks outlive it. Errors: none.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "comch/producer_task.h"

namespace comch {

class Gathering {
 public:
  static constexpr std::uint32_t kMost = 64;
  // Longer ones gain nothing; and behind so many who waits has waited enough.
  static constexpr std::size_t kLongestInLane = std::size_t{8} << 10U;
  static constexpr std::uint32_t kMostInLane = 16;

  bool empty() const { return count_ == 0 && in_lane_ == 0; }
  bool any_in_lane() const { return in_lane_ != 0; }
  std::uint32_t consumer() const { return consumer_; }  // Of the last begin().

  // For an empty one. `most`: 1 to kMost.
  void begin(std::uint32_t consumer, std::uint32_t most, std::uint64_t bytes) {
    assert(empty() && most != 0 && most <= kMost);
    consumer_ = consumer;
    most_ = most;
    bytes_ = bytes;
  }
  // Whether a task of data alone may be added: it has some, not too long, for the same consumer.
  bool takes(const ProducerTaskImpl& task) const {
    return task.consumer == consumer_ && task.data().size() - 1 < bytes_;
  }
  // True: that was the last one for which there was room.
  bool add(ProducerTaskImpl& task) {
    assert(count_ < most_);
    tasks_[count_++] = &task;
    return count_ == most_;
  }
  // All, in their order, and it is empty. They stay where they are until the next add(). What is in
  // a lane is not among them.
  std::span<ProducerTaskImpl* const> take() {
    in_lane_ = 0;
    return std::span(tasks_).first(std::exchange(count_, 0));
  }

  // For an empty one. `most`: at least 1.
  void begin_in_lane(std::uint32_t consumer, std::uint32_t most) {
    assert(empty() && most != 0);
    consumer_ = consumer;
    most_ = std::min(most, kMostInLane);
    bytes_ = 0;  // No task is added.
  }
  // Whether one more for that consumer may be, behind others.
  bool takes_in_lane(std::uint32_t consumer) const {
    return any_in_lane() && consumer == consumer_;
  }
  // As add().
  bool add_in_lane() { return ++in_lane_ == most_; }

 private:
  std::uint32_t count_ = 0;
  std::uint32_t in_lane_ = 0;
  std::uint32_t most_ = 0;
  std::uint32_t consumer_ = 0;
  std::uint64_t bytes_ = 0;
  std::array<ProducerTaskImpl*, kMost> tasks_;
};

}  // namespace comch
