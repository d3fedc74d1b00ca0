// Staging: memory for bytes that cannot be read to or written from where they belong; aligned for
// O_DIRECT, kept for the next time, and never longer than the longest message that needed it.
//
//   std::byte* bytes = staging.reserve(length);      // Null: there is no memory.
//
// Threads: the ring's. Lifetime: its transfer's. Errors: null.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace comch::uring {

class Staging {
 public:
  // What any file system's direct reads want of addresses, offsets and lengths, at most.
  static constexpr std::size_t kBlock = 4096;
  static constexpr std::uint64_t round_up(std::uint64_t length) {
    return (length + kBlock - 1) / kBlock * kBlock;
  }

  // At least `length` bytes, rounded up to whole blocks. What was there is lost when it grows.
  std::byte* reserve(std::uint64_t length) {
    if (length <= size_) return bytes_.get();
    if (length > kMost) return nullptr;
    bytes_.reset();
    size_ = 0;
    void* const made = ::operator new(round_up(length), std::align_val_t(kBlock), std::nothrow);
    if (made == nullptr) return nullptr;
    bytes_.reset(static_cast<std::byte*>(made));
    size_ = round_up(length);
    return bytes_.get();
  }

 private:
  static constexpr std::uint64_t kMost = std::uint64_t{1} << 40U;  // More is a mistake.
  struct Free {
    void operator()(std::byte* bytes) const { ::operator delete(bytes, std::align_val_t(kBlock)); }
  };
  std::unique_ptr<std::byte, Free> bytes_;
  std::uint64_t size_ = 0;
};

}  // namespace comch::uring
