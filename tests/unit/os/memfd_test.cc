// Memfd and Mapping: memory whose size nobody can change, and what is not such memory.
#include "os/memfd.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "os/seq_socket.h"
#include "support/child_process.h"
#include "support/process_counters.h"
#include "unit/os/rigged_syscalls.h"

namespace comch::os {
namespace {

constexpr int kAllSizeSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

Fd memfd_with(int seals, off_t size = 4096) {
  Fd fd(::memfd_create("comch-test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  EXPECT_EQ(::ftruncate(fd.get(), size), 0);
  EXPECT_EQ(::fcntl(fd.get(), F_ADD_SEALS, seals), 0);
  return fd;
}

TEST(MemfdTest, IsZeroedMemoryOfItsSize) {
  const Fd fd = make_sealed_memfd("comch-test", 10000).value();
  EXPECT_EQ(sealed_size(fd).value(), 10000u);
  const Mapping mapping = Mapping::map(fd, 10000).value();
  ASSERT_EQ(mapping.bytes().size(), 10000u);
  for (const std::byte b : mapping.bytes()) ASSERT_EQ(b, std::byte{0});
}

TEST(MemfdTest, CannotShrinkGrowOrBeUnsealed) {
  const Fd fd = make_sealed_memfd("comch-test", 4096).value();
  EXPECT_EQ(::ftruncate(fd.get(), 0), -1);
  EXPECT_EQ(errno, EPERM);
  EXPECT_EQ(::ftruncate(fd.get(), 8192), -1);
  EXPECT_EQ(errno, EPERM);
  EXPECT_EQ(::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_WRITE), -1);
  EXPECT_EQ(errno, EPERM);
}

TEST(MemfdTest, DoesNotReachAnotherProgram) {
  const Fd fd = make_sealed_memfd("comch-test", 4096).value();
  EXPECT_NE(::fcntl(fd.get(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST(MemfdTest, HasASizeThatAFileCanHave) {
  EXPECT_EQ(make_sealed_memfd("comch-test", 0).error().code, Errc::invalid_value);
  EXPECT_EQ(make_sealed_memfd("comch-test", ~0ull).error().code, Errc::invalid_value);
}

TEST(MemfdTest, APeersMemoryMustHaveAllThreeSeals) {
  for (int seals = 0; seals < 8; ++seals) {  // SEAL, SHRINK and GROW are bits 0 to 2.
    static_assert(kAllSizeSeals == 7);
    const Result<std::uint64_t> size = sealed_size(memfd_with(seals));
    if (seals == kAllSizeSeals) {
      EXPECT_EQ(size.value(), 4096u);
    } else {
      ASSERT_FALSE(size) << seals;
      EXPECT_EQ(size.error().code, Errc::connection_reset);
    }
  }
}

TEST(MemfdTest, WhatIsNoMemfdIsNoMemory) {
  std::array<int, 2> pipe = {};
  ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
  const Fd reader(pipe[0]);
  const Fd writer(pipe[1]);
  const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const Fd file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  const Fd directory(::open("/dev/shm", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const Fd shm_file(::open("/dev/shm", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600));
  ASSERT_EQ(::ftruncate(shm_file.get(), 4096), 0);
  for (const Fd* fd : {&reader, &null, &file, &directory, &shm_file}) {
    const Result<std::uint64_t> size = sealed_size(*fd);
    ASSERT_FALSE(size);
    EXPECT_EQ(size.error().code, Errc::connection_reset);
  }
}

TEST(MemfdTest, ADescriptorThatIsNoneIsNoPeersFault) {
  EXPECT_EQ(sealed_size(Fd()).error().code, Errc::operating_system);
  EXPECT_EQ(sealed_size(Fd()).error().sys, EBADF);
}

TEST(MappingTest, SharesItsBytesWithEveryOtherMapping) {
  const Fd fd = make_sealed_memfd("comch-test", 4096).value();
  const Mapping one = Mapping::map(fd, 4096).value();
  const Mapping two = Mapping::map(fd, 4096).value();
  one.bytes()[77] = std::byte{42};
  EXPECT_EQ(two.bytes()[77], std::byte{42});
}

TEST(MappingTest, AForkedChildDoesNotHaveIt) {
  const Fd fd = make_sealed_memfd("comch-forks", 4096).value();
  const Mapping mapping = Mapping::map(fd, 4096).value();
  ASSERT_EQ(test::mappings("comch-forks"), 1u);
  auto child =
      test::ChildProcess::run([] { return static_cast<int>(test::mappings("comch-forks")); });
  EXPECT_EQ(child.wait(), test::Exit::with(0));
}

TEST(MappingTest, MemoryThatMayOnlyBeReadIsRefused) {
  const Fd sealed = memfd_with(kAllSizeSeals | F_SEAL_FUTURE_WRITE);
  EXPECT_EQ(Mapping::map(sealed, 4096).error().code, Errc::not_permitted);
  EXPECT_EQ(Mapping::map(sealed, 0).error().code, Errc::invalid_value);
}

TEST(MappingTest, ThatChildrenWouldInheritIsNotKept) {
  const Fd fd = make_sealed_memfd("comch-advice", 4096).value();
  {
    test::RiggedSyscalls rig({.nth = 2, .sys = ENOMEM});
    const Result<Mapping> mapping = Mapping::map(fd, 4096);
    ASSERT_FALSE(mapping);
    EXPECT_EQ(mapping.error().sys, ENOMEM);
  }
  EXPECT_EQ(test::mappings("comch-advice"), 0u);
}

}  // namespace
}  // namespace comch::os
