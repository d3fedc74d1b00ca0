// OwnBytes: memory of a benchmark's own, in which each buffer has cache lines of its own.
//
//   OwnBytes bytes(buffers * OwnBytes::stride(size));
//
// Threads: a value that can be moved.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>

namespace comch::tool {

class OwnBytes {
 public:
  OwnBytes() = default;
  // Written once: page faults would be measured with the first messages.
  explicit OwnBytes(std::size_t size)
      : bytes_(static_cast<std::byte*>(::operator new(size, kPage))), size_(size) {
    std::memset(data(), 0, size);
  }

  std::byte* data() const { return bytes_.get(); }
  std::size_t size() const { return size_; }

  // From one buffer of `size` to the next: neighbours in a cache line would disturb each other.
  static constexpr std::size_t stride(std::size_t size) {
    return (size + kAlignment - 1) / kAlignment * kAlignment;
  }

 private:
  static constexpr std::size_t kAlignment = 128;
  static constexpr std::align_val_t kPage{4096};
  struct Free {
    void operator()(std::byte* bytes) const { ::operator delete(bytes, kPage); }
  };

  std::unique_ptr<std::byte, Free> bytes_;
  std::size_t size_ = 0;
};

}  // namespace comch::tool
