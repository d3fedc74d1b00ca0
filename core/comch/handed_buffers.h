// HandedBuffers: the buffers that are handed over to one consumer, by the handle that each comes
// back under.
//
//   handed.put(handle, buffer);
//   if (Buffer* buffer = handed.take(handle)) ...       // Null: it is under none.
//
// Handles are small numbers, and few. Threads: the producer's. Lifetime: a value; the buffers
// outlive it. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace comch {

class Buffer;

class HandedBuffers {
 public:
  bool empty() const { return count_ == 0; }
  // Under a handle that is free.
  void put(std::uint32_t handle, Buffer& buffer) {
    if (handle >= buffers_.size()) buffers_.resize(handle + std::size_t{1});
    buffers_[handle] = &buffer;
    ++count_;
  }
  Buffer* take(std::uint32_t handle) {
    if (handle >= buffers_.size()) return nullptr;
    Buffer* const buffer = std::exchange(buffers_[handle], nullptr);
    count_ -= buffer != nullptr ? 1 : 0;
    return buffer;
  }
  // All that are there now: each(handle, buffer), which may put others here.
  template <class Each>
  void take_all(Each each) {
    count_ = 0;
    const std::vector<Buffer*> all = std::exchange(buffers_, {});
    for (std::uint32_t handle = 0; handle < all.size(); ++handle) {
      if (all[handle] != nullptr) each(handle, *all[handle]);
    }
  }

 private:
  std::vector<Buffer*> buffers_;
  std::size_t count_ = 0;
};

}  // namespace comch
