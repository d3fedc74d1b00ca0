// Memory: what a memory map may lie in: making it, sealing it, asking what it is.
//
//   Fd fd = make_memory("comch-map", size, Pages::kOrdinary).value();
//   Window window = Window::map(fd, {0, size}, Window::kWrite).value();
//   populate(fd, window);
//   seal_memory(fd, ForOthers::kReadOnly);       // before anybody else sees it
//
// Unlike make_sealed_memfd() (memfd.h), making and sealing are two steps here: whether
// others may write is decided between them.
//
// Threads: any.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/checked.h"
#include "comch/result.h"
#include "os/fd.h"
#include "os/window.h"

namespace comch::os {

enum class Pages : std::uint8_t {
  kOrdinary,
  kPool,  // Huge pages that the administrator has set aside (hugetlb).
};

enum class ForOthers : std::uint8_t { kReadOnly, kWritable };

// Zeroed memory of `size` bytes, which huge pages round up to theirs; it is not sealed.
// invalid_value: size is 0 or above what a file may hold. operating_system: see sys.
Result<Fd> make_memory(const char* name, std::uint64_t size, Pages pages);

// Fixes the size for ever, and with kReadOnly keeps everybody from writing but through the
// windows that are there already.
// operating_system: see sys; EPERM when it was sealed before.
Status seal_memory(const Fd& fd, ForOthers others);

// Whether others may still come to write to it: it has no seal against that.
bool others_may_write(const Fd& fd);

// Takes all pages of `window` now, rather than when they are touched.
// no_memory: there are not so many. operating_system: see sys.
Status populate(const Fd& fd, const Window& window);

// Asks for huge pages behind `window`, where the machine's policy gives them on advice.
// operating_system: this kernel has no such pages.
Status advise_huge(const Window& window);

// The size of a file that is memory: of tmpfs or hugetlbfs, sealed or not.
// invalid_value: it is none. operating_system: see sys.
Result<std::uint64_t> memory_size(const Fd& fd);

// The size of a buffer that a device driver shares (dma-buf).
// invalid_value: it is none. operating_system: see sys.
Result<std::uint64_t> dmabuf_size(const Fd& fd);

// Another descriptor of the same open file, which programs we start do not inherit.
// invalid_value: `fd` is none. operating_system: see sys.
Result<Fd> duplicate(int fd);

// What tells two files apart while both exist.
struct FileId {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  friend bool operator==(const FileId&, const FileId&) = default;
};
Result<FileId> file_id(const Fd& fd);

// Memory to hold a few bytes that nobody, we included, can change once they are in: made
// empty, so that its descriptor's number is known first, and then frozen.
// operating_system: see sys.
Result<Fd> make_blank_memory(const char* name);
Status freeze_memory(const Fd& fd, std::span<const std::byte> content);

// Reads frozen memory whole.
// invalid_value: it is not frozen, or not of this size. operating_system: see sys.
Status read_frozen_memory(const Fd& fd, std::span<std::byte> into);

}  // namespace comch::os
