// MappedPages: what a mapping is once it is there: its bytes, and how they are let go of.
//
//   class Window : public MappedPages { ... static Result<Window> map(...); };
//
// Threads: a value; the mapped bytes are shared by their nature.
// Lifetime: mapped until it goes, also when the descriptor is closed. Errors: none.
// Tests: mapped_pages_test.cc.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

namespace comch::os {

class MappedPages {
 public:
  MappedPages() = default;
  MappedPages(MappedPages&& other) noexcept
      : bytes_(std::exchange(other.bytes_, {})), share_(std::move(other.share_)) {}
  MappedPages& operator=(MappedPages&& other) noexcept;
  ~MappedPages() { unmap(); }

  explicit operator bool() const { return !bytes_.empty(); }
  // Page-aligned.
  std::span<std::byte> bytes() const { return bytes_; }

  // For memory of somebody else's making: who unmaps it last frees its pages, however many there
  // are, and does it on a thread of its own then. `share`, of what is taken by it, is let go of
  // when that is done.
  void free_elsewhere(std::shared_ptr<const void> share) { share_ = std::move(share); }

 protected:
  explicit MappedPages(std::span<std::byte> bytes) : bytes_(bytes) {}

 private:
  void unmap() noexcept;

  std::span<std::byte> bytes_;
  std::shared_ptr<const void> share_;  // None: it is unmapped where it is let go of.
};

}  // namespace comch::os
