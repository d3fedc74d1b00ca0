// Window: a part of some memory, and what cannot be mapped.
#include "os/window.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <memory>
#include <thread>
#include <utility>

#include "os/memory.h"
#include "os/slow_close.h"
#include "os/syscalls.h"
#include "support/deadline.h"
#include "support/process_counters.h"
#include "unit/os/rigged_syscalls.h"

namespace comch::os {
namespace {

constexpr std::uint64_t kAnyPage = 65536;  // A multiple of the page size of any machine here.

Fd memory(std::uint64_t size = 4 * kAnyPage) {
  return make_memory("comch-window", size, Pages::kOrdinary).value();
}

TEST(WindowTest, ShowsThePartThatWasAskedFor) {
  const Fd fd = memory();
  const Window whole = Window::map(fd, {0, 4 * kAnyPage}, Window::kWrite).value();
  const Window part = Window::map(fd, {kAnyPage, 10}, Window::kRead).value();
  ASSERT_EQ(part.bytes().size(), 10u);
  whole.bytes()[kAnyPage + 9] = std::byte{42};
  EXPECT_EQ(part.bytes()[9], std::byte{42});
}

TEST(WindowTest, MovesAndUnmapsOnce) {
  const std::size_t before = test::mappings("comch-window");
  {
    const Fd fd = memory();
    Window first = Window::map(fd, {0, kAnyPage}, Window::kWrite).value();
    Window second(std::move(first));
    EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move): that it is empty is the point.
    Window third = Window::map(fd, {2 * kAnyPage, kAnyPage}, Window::kWrite).value();
    EXPECT_EQ(test::mappings("comch-window"), before + 2);
    third = std::move(second);
    EXPECT_EQ(test::mappings("comch-window"), before + 1);
  }
  EXPECT_EQ(test::mappings("comch-window"), before);
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

TEST(WindowTest, MuchThatSomebodyElseHasMadeIsFreedOnAnotherThread) {
  static const Syscalls kTable = Unmapping::table();
  const ScopedSyscalls scope(kTable);
  for (const auto& [size, elsewhere] : {std::pair{kManyBytes, true}, {kManyBytes / 2, false}}) {
    Unmapping::by = 0;
    {
      Window window = Window::map(memory(size), {0, size}, Window::kWrite).value();
      window.free_elsewhere(std::make_shared<Share>());
      const Window moved(std::move(window));
    }
    EXPECT_TRUE(test::eventually([] { return Unmapping::by != 0 && slow_jobs() == 0; }));
    EXPECT_EQ(Unmapping::by != ::gettid(), elsewhere) << size;
  }
}

// Else a peer would have the share of what waits, as often as it likes.
TEST(WindowTest, ItsShareIsLetGoOfWhenItIsUnmapped) {
  static const Syscalls kTable = Unmapping::table();
  const ScopedSyscalls scope(kTable);
  for (const std::uint64_t size : {kManyBytes, kManyBytes / 2}) {
    Unmapping::open = false;
    std::weak_ptr<Share> watched;
    {
      auto share = std::make_shared<Share>();
      watched = share;
      Window window = Window::map(memory(size), {0, size}, Window::kWrite).value();
      window.free_elsewhere(std::move(share));
    }
    EXPECT_EQ(watched.expired(), size < kManyBytes);
    Unmapping::open = true;
    EXPECT_TRUE(test::eventually([] { return slow_jobs() == 0; }));
    EXPECT_TRUE(watched.expired());
  }
}

TEST(WindowTest, NothingAndWhatWrapsAndWhatBeginsInsideAPageAreRefused) {
  const Fd fd = memory();
  for (const Range range : {Range{0, 0}, Range{~0ull, 2}, Range{0, ~0ull}, Range{1, 4096}}) {
    const Result<Window> window = Window::map(fd, range, Window::kRead);
    ASSERT_FALSE(window) << range.offset;
    EXPECT_EQ(window.error().code, Errc::invalid_value) << range.offset;
  }
}

TEST(WindowTest, AForbiddenUseIsNotPermitted) {
  const Fd fd = memory();
  ASSERT_TRUE(seal_memory(fd, ForOthers::kReadOnly));
  EXPECT_EQ(Window::map(fd, {0, kAnyPage}, Window::kWrite).error().code, Errc::not_permitted);
  EXPECT_TRUE(Window::map(fd, {0, kAnyPage}, Window::kRead));
}

TEST(WindowTest, SaysWhetherMemoryOrTheKernelWasTheReason) {
  const Fd fd = memory();
  for (const auto& [sys, code] :
       {std::pair(ENOMEM, Errc::no_memory), std::pair(ENODEV, Errc::operating_system)}) {
    const test::RiggedSyscalls rig({.nth = 1, .sys = sys});
    const Result<Window> window = Window::map(fd, {0, kAnyPage}, Window::kRead);
    ASSERT_FALSE(window);
    EXPECT_EQ(window.error().code, code);
    EXPECT_EQ(window.error().sys, sys);
  }
}

}  // namespace
}  // namespace comch::os
