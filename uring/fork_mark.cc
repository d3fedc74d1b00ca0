// ForkMark: see fork_mark.h.
#include "fork_mark.h"

#include <sys/mman.h>

#include <cerrno>

namespace comch::uring {

namespace {

// The least that can be mapped; the kernel rounds it up to a page.
constexpr std::size_t kSize = sizeof(int);

}  // namespace

Result<ForkMark> ForkMark::create() {
  void* const page =
      ::mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return fail(Errc::operating_system, "no page of memory", errno);
  ForkMark mark(static_cast<int*>(page));
  if (::madvise(page, kSize, MADV_WIPEONFORK) != 0) {
    return fail(Errc::operating_system, "a page cannot be kept from children", errno);
  }
  return mark;
}

void ForkMark::Unmap::operator()(int* page) const { ::munmap(page, kSize); }

}  // namespace comch::uring
