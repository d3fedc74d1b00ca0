// ArrayPosts: which buffer each index stands for, of a consumer that is used through arrays. It
// is all that is touched of a post: no task.
//
//   const std::uint16_t index = posts.add(buffer);     // Not when it is full().
//   BufferImpl* buffer = posts.remove(index);
//
// Threads: the consumer's. Lifetime: reset() forgets all. Errors: none.
#pragma once

#include <cassert>
#include <cstdint>
#include <vector>

#include "comch/buffer_impl.h"

namespace comch {

class ArrayPosts {
 public:
  // Room for `count` buffers; their indexes are 0 .. count - 1.
  void reset(std::uint32_t count) {
    buffers_.assign(count, nullptr);
    free_.resize(count);
    for (std::uint32_t n = 0; n < count; ++n) free_[n] = static_cast<std::uint16_t>(count - 1 - n);
    left_ = count;
  }

  bool full() const { return left_ == 0; }
  bool empty() const { return left_ == free_.size(); }

  std::uint16_t add(BufferImpl* buffer) {
    assert(!full());
    const std::uint16_t index = free_[--left_];
    buffers_[index] = buffer;
    return index;
  }

  BufferImpl* remove(std::uint16_t index) {
    free_[left_++] = index;
    return buffers_[index];
  }

 private:
  std::vector<BufferImpl*> buffers_;  // By index; null: posted without one.
  std::vector<std::uint16_t> free_;   // The first left_ are free.
  std::uint32_t left_ = 0;
};

}  // namespace comch
