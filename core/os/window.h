// Window: a part of some memory, mapped.
//
//   Window window = Window::map(fd, {.offset = 4096, .length = size}, Window::kRead).value();
//   use(window.bytes());
//
// Whether the memory can be cut short under it (SIGBUS) is for the caller to ask, see
// sealed_size() in memfd.h. A forked child shares it.
//
// Threads: a value; the mapped bytes are shared by their nature.
// Lifetime: a window lives on when the descriptor is closed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "base/checked.h"
#include "comch/result.h"
#include "os/fd.h"

namespace comch::os {

class Window {
 public:
  enum Use : std::uint8_t { kRead, kWrite };  // kWrite: and read.

  // invalid_value: no bytes, or an offset that is not one of a page. not_permitted: the
  // descriptor or a seal forbids this use. no_memory: too little address space, or too few
  // huge pages. operating_system: see sys.
  static Result<Window> map(const Fd& fd, Range range, Use use);

  Window() = default;
  Window(Window&& other) noexcept;
  Window& operator=(Window&& other) noexcept;
  ~Window();

  explicit operator bool() const { return !bytes_.empty(); }
  // Those of a kRead window may not be written: SIGSEGV.
  std::span<std::byte> bytes() const { return bytes_; }

  // For memory of somebody else's making: who unmaps it last frees its pages, however many there
  // are, and does it on a thread of its own then. `share`, of what is taken by it, is let go of
  // when that is done.
  void free_elsewhere(std::shared_ptr<const void> share) { share_ = std::move(share); }

 private:
  explicit Window(std::span<std::byte> bytes) : bytes_(bytes) {}
  void unmap() noexcept;

  std::span<std::byte> bytes_;
  std::shared_ptr<const void> share_;  // None: it is unmapped where it is let go of.
};

}  // namespace comch::os
