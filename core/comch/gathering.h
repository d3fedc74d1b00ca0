// Gathering: the send tasks of one producer that go to one consumer together: they are accepted,
// and not in its lane yet.
//
//   gathering.begin(consumer, 64, 112);      // So many, each of at most so many bytes.
//   if (gathering.takes(task) && gathering.add(task)) ...           // It is full: send them.
//   for (ProducerTaskImpl* task : gathering.take()) ...
//
// Threads: the producer's. Lifetime: the tasks outlive it. Errors: none.
#pragma once

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

  bool empty() const { return count_ == 0; }
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
  // All, in their order, and it is empty. They stay where they are until the next add().
  std::span<ProducerTaskImpl* const> take() {
    return std::span(tasks_).first(std::exchange(count_, 0));
  }

 private:
  std::uint32_t count_ = 0;
  std::uint32_t most_ = 0;
  std::uint32_t consumer_ = 0;
  std::uint64_t bytes_ = 0;
  std::array<ProducerTaskImpl*, kMost> tasks_;
};

}  // namespace comch
