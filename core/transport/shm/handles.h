// Handles: the numbers under which a producer hands its buffers over to one consumer, who gives
// each back by its number.
//
//   free --take()--> taken --lend()--> lent --take_returned()--> taken --put_back()--> free
//
//   if (const auto handle = handles.take()) { handles.lend(*handle); ... }
//   if (handles.take_returned(handle) == Look::kMessage) handles.put_back(handle);
//
// Threads: the producer's. Lifetime: outlived by the lane's memory. Errors: of take_returned().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "shm/returns_ring.h"

namespace comch::transport::shm {

class Handles {
 public:
  using Look = comch::shm::Look;

  // `count` of them. `returns`: the lane's ring of `slots`, or none, with no handles.
  Handles(std::byte* returns, std::uint32_t slots, std::uint32_t count)
      : count_(slots == 0 ? 0 : count), lent_(std::make_unique<bool[]>(count_)) {
    if (count_ == 0) return;
    returns_.emplace(returns, slots, std::span(lent_.get(), count));
    free_.reserve(count);
    for (std::uint32_t n = count; n > 0; --n) free_.push_back(n - 1);
  }

  // One that is free; nothing: all are out.
  std::optional<std::uint32_t> take() {
    if (free_.empty()) return std::nullopt;
    const std::uint32_t handle = free_.back();
    free_.pop_back();
    return handle;
  }
  void put_back(std::uint32_t handle) { free_.push_back(handle); }
  bool all_free() const { return free_.size() == count_; }
  // A buffer goes under it.
  void lend(std::uint32_t handle) { returns_->lend(handle); }
  // The next one that has come back. kBroken: the consumer gave back what it does not have.
  Look take_returned(std::uint32_t& handle) {
    return returns_ ? returns_->take(handle) : Look::kNothing;
  }
  // Whether that would be anything but kNothing.
  bool has_returned() const { return returns_ && returns_->ready(); }
  // It has been kBroken, and is for good.
  bool broken() const { return returns_ && returns_->broken(); }

 private:
  const std::size_t count_;
  std::unique_ptr<bool[]> lent_;
  std::optional<comch::shm::ReturnsReader<>> returns_;
  std::vector<std::uint32_t> free_;
};

}  // namespace comch::transport::shm
