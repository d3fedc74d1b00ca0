// Window: a part of some memory, and what cannot be mapped.
#include "os/window.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <utility>

#include "os/memory.h"
#include "unit/os/rigged_syscalls.h"

namespace comch::os {
namespace {

constexpr std::uint64_t kAnyPage = 65536;  // A multiple of the page size of any machine here.

Fd memory() { return make_memory("comch-window", 4 * kAnyPage, Pages::kOrdinary).value(); }

TEST(WindowTest, ShowsThePartThatWasAskedFor) {
  const Fd fd = memory();
  const Window whole = Window::map(fd, {0, 4 * kAnyPage}, Window::kWrite).value();
  const Window part = Window::map(fd, {kAnyPage, 10}, Window::kRead).value();
  ASSERT_EQ(part.bytes().size(), 10u);
  whole.bytes()[kAnyPage + 9] = std::byte{42};
  EXPECT_EQ(part.bytes()[9], std::byte{42});
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
