// Memory of another process: found by number, and what is not opened.
#include "os/proc_fd.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <limits>

#include "os/memory.h"
#include "support/child_process.h"
#include "unit/os/rigged_syscalls.h"

namespace comch::os {
namespace {

constexpr std::uint64_t kMemfdSize = 65536;

// A process that has one byte of memory to show and waits.
struct ProcFdTest : testing::Test {
  ProcFdTest() : child(test::ChildProcess::run([this] { return done.wait() ? 0 : 1; })) {}
  ~ProcFdTest() override {
    done.open();
    EXPECT_EQ(child.wait(), test::Exit::with(0));
  }

  Fd memory = make_memory("comch-proc", kMemfdSize, Pages::kOrdinary).value();
  Fd null{::open("/dev/null", O_RDWR | O_CLOEXEC)};
  test::Gate done;
  test::ChildProcess child;  // Has the same descriptors under the same numbers.
};

// A kernel without /proc.
Syscalls without_proc() {
  Syscalls table = kKernel;
  table.openat = [](int, const char*, int, mode_t) {
    errno = ENOENT;
    return -1;
  };
  return table;
}

TEST_F(ProcFdTest, OpensTheMemoryOfAnotherProcess) {
  const Fd theirs = open_memory_of(child.pid(), memory.get(), Window::kWrite).value();
  EXPECT_EQ(file_id(theirs).value(), file_id(memory).value());
  EXPECT_TRUE(Window::map(theirs, {0, kMemfdSize}, Window::kWrite));
  EXPECT_NE(::fcntl(theirs.get(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST_F(ProcFdTest, OpensForReadingAlone) {
  const Fd theirs = open_memory_of(child.pid(), memory.get(), Window::kRead).value();
  EXPECT_TRUE(Window::map(theirs, {0, kMemfdSize}, Window::kRead));
  EXPECT_EQ(Window::map(theirs, {0, kMemfdSize}, Window::kWrite).error().code, Errc::not_permitted);
}

TEST_F(ProcFdTest, OpensOurOwnMemoryToo) {
  EXPECT_TRUE(open_memory_of(::getpid(), memory.get(), Window::kWrite));
}

TEST_F(ProcFdTest, WorksWithoutProc) {
  const Syscalls table = without_proc();
  const ScopedSyscalls scope(table);
  const Result<Fd> theirs = open_memory_of(child.pid(), memory.get(), Window::kWrite);
  ASSERT_TRUE(theirs) << describe(theirs.error());
  EXPECT_EQ(file_id(*theirs).value(), file_id(memory).value());
  EXPECT_EQ(open_memory_of(child.pid(), null.get(), Window::kRead).error().code,
            Errc::invalid_value);
}

TEST_F(ProcFdTest, SaysWhatWasWrongFirstWhereTheKernelHasNoOtherWay) {
  Syscalls table = without_proc();
  table.pidfd_getfd = [](int, int, unsigned) {
    errno = ENOSYS;
    return -1;
  };
  const ScopedSyscalls scope(table);
  const Result<Fd> theirs = open_memory_of(child.pid(), memory.get(), Window::kWrite);
  ASSERT_FALSE(theirs);
  EXPECT_EQ(theirs.error().code, Errc::not_found);
}

TEST_F(ProcFdTest, WhatTheKernelHidesIsNotPermitted) {
  const test::RiggedSyscalls rig({.nth = 1, .sys = EACCES, .sticky = true});
  EXPECT_EQ(open_memory_of(child.pid(), memory.get(), Window::kWrite).error().code,
            Errc::not_permitted);
}

TEST_F(ProcFdTest, ADescriptorOrProcessThatIsNotThereIsNotFound) {
  EXPECT_EQ(open_memory_of(child.pid(), 100000, Window::kRead).error().code, Errc::not_found);
  // Above the largest pid that Linux gives.
  EXPECT_EQ(open_memory_of(std::numeric_limits<std::int32_t>::max(), 0, Window::kRead).error().code,
            Errc::not_found);
}

TEST_F(ProcFdTest, NumbersThatNobodyHasAreRefusedAtOnce) {
  test::RiggedSyscalls rig({});
  for (const auto& [pid, fd] : {std::array{0, 0}, std::array{-1, 3}, std::array{1, -1}}) {
    EXPECT_EQ(open_memory_of(pid, fd, Window::kRead).error().code, Errc::invalid_value);
  }
  EXPECT_EQ(rig.calls(), 0u);
}

// Opening a pipe or a device has effects on others, so only their place is looked at.
TEST_F(ProcFdTest, WhatIsNoMemoryIsNotOpened) {
  static int opened_for_use;
  opened_for_use = 0;
  Syscalls watched = kKernel;
  watched.openat = [](int directory, const char* path, int flags, mode_t mode) {
    if ((flags & O_PATH) == 0) ++opened_for_use;
    return ::openat(directory, path, flags, mode);
  };
  const ScopedSyscalls scope(watched);
  EXPECT_EQ(open_memory_of(child.pid(), null.get(), Window::kWrite).error().code,
            Errc::invalid_value);
  EXPECT_EQ(opened_for_use, 0);
  EXPECT_TRUE(open_memory_of(child.pid(), memory.get(), Window::kWrite));
  EXPECT_EQ(opened_for_use, 1) << "so the count counts";
}

}  // namespace
}  // namespace comch::os
