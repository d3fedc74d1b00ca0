// Fd: one owner, and closed when it goes.
#include "os/fd.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "os/clock.h"
#include "os/identity.h"
#include "unit/os/open_descriptor.h"
#include "unit/os/rigged_syscalls.h"

namespace comch::os {
namespace {

using test::is_open;

int any() { return ::eventfd(0, EFD_CLOEXEC); }

TEST(FdTest, HoldsNothingUntilItIsGivenSomething) {
  const Fd fd;
  EXPECT_FALSE(fd);
  EXPECT_EQ(fd.get(), -1);
}

TEST(FdTest, ClosesWhenItGoes) {
  int raw = -1;
  {
    const Fd fd(any());
    raw = fd.get();
    EXPECT_TRUE(is_open(raw));
  }
  EXPECT_FALSE(is_open(raw));
}

TEST(FdTest, MovesAndIsEmptyAfterwards) {
  Fd first(any());
  const int raw = first.get();
  Fd second(std::move(first));
  EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move): that it is empty is the point.
  EXPECT_EQ(second.get(), raw);
  Fd third(any());
  const int closed = third.get();
  third = std::move(second);
  EXPECT_EQ(third.get(), raw);
  EXPECT_FALSE(is_open(closed));
  EXPECT_TRUE(is_open(raw));
}

TEST(FdTest, ReleaseGivesItUpOpen) {
  Fd fd(any());
  const Fd other(fd.release());
  EXPECT_FALSE(fd);
  EXPECT_TRUE(is_open(other.get()));
}

TEST(FdTest, ClosingKeepsErrno) {
  Fd fd(any());
  test::RiggedSyscalls rig({.nth = 1, .sys = EIO, .sticky = true});
  errno = ENOSPC;
  fd.reset();
  EXPECT_EQ(errno, ENOSPC);
  EXPECT_TRUE(rig.reached());
}

TEST(SyscallsTest, AScopeOfTablesNests) {
  const Syscalls* before = &syscalls();
  {
    const Syscalls one = kKernel;
    const ScopedSyscalls outer(one);
    EXPECT_EQ(&syscalls(), &one);
    {
      const Syscalls two = kKernel;
      const ScopedSyscalls inner(two);
      EXPECT_EQ(&syscalls(), &two);
    }
    EXPECT_EQ(&syscalls(), &one);
  }
  EXPECT_EQ(&syscalls(), before);
}

TEST(ClockTest, OnlyGoesForward) {
  std::uint64_t last = monotonic_ns();
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t now = monotonic_ns();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(IdentityTest, IsTheKernelsWord) {
  EXPECT_EQ(own_uid(), ::geteuid());
  EXPECT_EQ(own_gid(), ::getegid());
  EXPECT_EQ(own_pid(), ::getpid());
}

TEST(FdTest, ReadingSomebodyElsesDescriptorNeverWaitsOnceThatWasAskedFor) {
  const Fd fd(::eventfd(0, EFD_CLOEXEC));
  ASSERT_TRUE(set_nonblocking(fd.get()));
  eventfd_t value = 0;
  EXPECT_EQ(::eventfd_read(fd.get(), &value), -1);
  EXPECT_EQ(errno, EAGAIN);
  EXPECT_EQ(set_nonblocking(-1).error().sys, EBADF);
}

}  // namespace
}  // namespace comch::os
