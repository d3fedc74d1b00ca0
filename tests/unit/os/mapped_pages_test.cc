// MappedPages: who lets go of pages, when, and on which thread. Those of a Window here.
#include "os/mapped_pages.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <thread>
#include <utility>

#include "os/memory.h"
#include "os/slow_close.h"
#include "os/syscalls.h"
#include "os/window.h"
#include "support/deadline.h"
#include "support/process_counters.h"
#include "unit/os/rigged_syscalls.h"

namespace comch::os {
namespace {

constexpr std::uint64_t kAnyPage = 65536;  // A multiple of the page size of any machine here.

Window pages(std::uint64_t size) {
  const Fd fd = make_memory("comch-pages", size, Pages::kOrdinary).value();
  return Window::map(fd, {0, size}, Window::kWrite).value();
}

TEST(MappedPagesTest, OutliveTheirDescriptor) {
  Window some;
  some = pages(kAnyPage);
  some.bytes()[kAnyPage - 1] = std::byte{1};
  EXPECT_EQ(some.bytes()[kAnyPage - 1], std::byte{1});
}

TEST(MappedPagesTest, MovesAndUnmapsOnce) {
  const std::size_t before = test::mappings("comch-pages");
  {
    Window first = pages(kAnyPage);
    Window second(std::move(first));
    EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move): that it is empty is the point.
    EXPECT_TRUE(second);
    Window third = pages(kAnyPage);
    EXPECT_EQ(test::mappings("comch-pages"), before + 2);
    third = std::move(second);
    EXPECT_EQ(test::mappings("comch-pages"), before + 1);
  }
  EXPECT_EQ(test::mappings("comch-pages"), before);
}

// A kernel that notes who unmaps, and in which others than the test may have to wait.
struct Unmapping {
  static int munmap(void* at, std::size_t size) {
    by = ::gettid();
    while (by != test_thread && !open.load()) std::this_thread::yield();
    return ::munmap(at, size);
  }
  static Syscalls table() {
    Syscalls table = kKernel;
    table.munmap = &munmap;
    return table;
  }
  static inline const pid_t test_thread = ::gettid();
  static inline std::atomic<pid_t> by = 0;
  static inline std::atomic<bool> open = true;
};

struct Share {};

TEST(MappedPagesTest, MuchThatSomebodyElseHasMadeIsFreedOnAnotherThread) {
  static const Syscalls kTable = Unmapping::table();
  const ScopedSyscalls scope(kTable);
  for (const auto& [size, elsewhere] : {std::pair{kManyBytes, true}, {kManyBytes / 2, false}}) {
    Unmapping::by = 0;
    {
      Window window = pages(size);
      window.free_elsewhere(std::make_shared<Share>());
      const Window moved(std::move(window));
    }
    EXPECT_TRUE(test::eventually([] { return Unmapping::by != 0 && slow_jobs() == 0; }));
    EXPECT_EQ(Unmapping::by != ::gettid(), elsewhere) << size;
  }
}

// Else a peer would have the share of what waits, as often as it likes.
TEST(MappedPagesTest, ItsShareIsLetGoOfWhenItIsUnmapped) {
  static const Syscalls kTable = Unmapping::table();
  const ScopedSyscalls scope(kTable);
  for (const std::uint64_t size : {kManyBytes, kManyBytes / 2}) {
    Unmapping::open = false;
    std::weak_ptr<Share> watched;
    {
      auto share = std::make_shared<Share>();
      watched = share;
      Window window = pages(size);
      window.free_elsewhere(std::move(share));
    }
    EXPECT_EQ(watched.expired(), size < kManyBytes);
    Unmapping::open = true;
    EXPECT_TRUE(test::eventually([] { return slow_jobs() == 0; }));
    EXPECT_TRUE(watched.expired());
  }
}

}  // namespace
}  // namespace comch::os
