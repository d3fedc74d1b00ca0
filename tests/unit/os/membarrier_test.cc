// Membarrier: taking part, and kernels that cannot.
#include "os/membarrier.h"

#include <gtest/gtest.h>
#include <linux/membarrier.h>
#include <stdlib.h>

#include <cerrno>

#include "support/child_process.h"
#include "unit/os/rigged_syscalls.h"

namespace comch::os {
namespace {

int registrations = 0;
int barriers = 0;

// A kernel that can do it and counts.
Syscalls counting_kernel() {
  registrations = barriers = 0;
  Syscalls table = kKernel;
  table.membarrier = [](int command, unsigned) {
    (command == MEMBARRIER_CMD_GLOBAL_EXPEDITED ? barriers : registrations) += 1;
    return 0;
  };
  return table;
}

// Each in a process of its own: having registered cannot be taken back.
template <class Body>
void in_a_fresh_process(Body body) {
  auto child = test::ChildProcess::run([&] {
    body();
    return 0;
  });
  EXPECT_EQ(child.wait(), test::Exit::with(0));
}

TEST(MembarrierTest, AProcessTakesPartOnceAndForGood) {
  in_a_fresh_process([] {
    const Syscalls table = counting_kernel();
    const ScopedSyscalls scope(table);
    EXPECT_TRUE(register_expedited());
    EXPECT_TRUE(register_expedited());
    EXPECT_EQ(registrations, 1);
    EXPECT_TRUE(expedite());
    EXPECT_TRUE(expedite());
    EXPECT_EQ(barriers, 2);
  });
}

TEST(MembarrierTest, AKernelWithoutItIsAskedAgainAndSaysNoAgain) {
  in_a_fresh_process([] {
    test::RiggedSyscalls rig({.nth = 1, .sys = ENOSYS, .sticky = true});
    EXPECT_FALSE(register_expedited());
    EXPECT_FALSE(register_expedited());
    EXPECT_FALSE(expedite());
    EXPECT_EQ(rig.calls(), 3u);
  });
}

TEST(MembarrierTest, TheEnvironmentCanForbidIt) {
  in_a_fresh_process([] {
    const Syscalls table = counting_kernel();
    const ScopedSyscalls scope(table);
    ::setenv("COMCH_NO_MEMBARRIER", "1", 1);
    EXPECT_FALSE(register_expedited());
    EXPECT_EQ(registrations, 0);
  });
}

TEST(MembarrierTest, ATestCanForbidIt) {
  in_a_fresh_process([] {
    const Syscalls table = counting_kernel();
    const ScopedSyscalls scope(table);
    {
      const WithoutMembarrier without;
      EXPECT_FALSE(register_expedited());
      EXPECT_FALSE(expedite());
    }
    EXPECT_EQ(registrations + barriers, 0);
    EXPECT_TRUE(register_expedited());
    EXPECT_TRUE(expedite());
  });
}

TEST(MembarrierTest, TheKernelHereAgreesWithItself) {
  in_a_fresh_process([] { EXPECT_EQ(register_expedited(), expedite()); });
}

}  // namespace
}  // namespace comch::os
