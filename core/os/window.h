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
#include <span>

#include "base/checked.h"
#include "comch/result.h"
#include "os/fd.h"
#include "os/mapped_pages.h"

namespace comch::os {

class Window : public MappedPages {
 public:
  // kWrite: and read. The bytes of a kRead window may not be written: SIGSEGV.
  enum Use : std::uint8_t { kRead, kWrite };

  // invalid_value: no bytes, or an offset that is not one of a page. not_permitted: the
  // descriptor or a seal forbids this use. no_memory: too little address space, or too few
  // huge pages. operating_system: see sys.
  static Result<Window> map(const Fd& fd, Range range, Use use);

  Window() = default;

 private:
  explicit Window(std::span<std::byte> bytes) : MappedPages(bytes) {}
};

}  // namespace comch::os
