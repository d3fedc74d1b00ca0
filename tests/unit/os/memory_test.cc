// Memory: made, sealed, taken, and told from what is none.
#include "os/memory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include "os/memfd.h"
#include "support/bytes.h"
#include "support/process_counters.h"
#include "unit/os/rigged_syscalls.h"

namespace comch::os {
namespace {

using test::bytes;

constexpr std::uint64_t kSize = 1 << 20;

TEST(MemoryTest, IsZeroedMemoryOfItsSize) {
  const Fd fd = make_memory("comch-test", 10000, Pages::kOrdinary).value();
  EXPECT_EQ(memory_size(fd).value(), 10000u);
  const Window window = Window::map(fd, {0, 10000}, Window::kWrite).value();
  for (const std::byte b : window.bytes()) ASSERT_EQ(b, std::byte{0});
}

TEST(MemoryTest, HasASizeThatAFileCanHave) {
  for (const std::uint64_t size : {std::uint64_t{0}, ~std::uint64_t{0}}) {
    const Result<Fd> fd = make_memory("comch-test", size, Pages::kOrdinary);
    ASSERT_FALSE(fd);
    EXPECT_EQ(fd.error().code, Errc::invalid_value);
  }
}

TEST(MemoryTest, SealedMemoryIsWhatAPeerAccepts) {
  const Fd fd = make_memory("comch-test", kSize, Pages::kOrdinary).value();
  EXPECT_FALSE(sealed_size(fd));
  ASSERT_TRUE(seal_memory(fd, ForOthers::kWritable));
  EXPECT_EQ(sealed_size(fd).value(), kSize);
  EXPECT_TRUE(others_may_write(fd));
  EXPECT_EQ(::ftruncate(fd.get(), 0), -1);
  EXPECT_EQ(seal_memory(fd, ForOthers::kReadOnly).error().sys, EPERM);
}

TEST(MemoryTest, KeepsOthersFromWritingButNotTheWindowsThatWereThere) {
  const Fd fd = make_memory("comch-test", kSize, Pages::kOrdinary).value();
  const Window mine = Window::map(fd, {0, kSize}, Window::kWrite).value();
  ASSERT_TRUE(seal_memory(fd, ForOthers::kReadOnly));
  EXPECT_FALSE(others_may_write(fd));
  mine.bytes()[0] = std::byte{1};
  EXPECT_FALSE(Window::map(fd, {0, kSize}, Window::kWrite));
  EXPECT_EQ(::pwrite(fd.get(), "x", 1, 0), -1);
  EXPECT_EQ(Window::map(fd, {0, kSize}, Window::kRead)->bytes()[0], std::byte{1});
}

TEST(MemoryTest, PopulatingTakesEveryPageNow) {
  const Fd fd = make_memory("comch-test", kSize, Pages::kOrdinary).value();
  const Window window = Window::map(fd, {0, kSize}, Window::kWrite).value();
  ASSERT_TRUE(populate(fd, window));
  struct stat file = {};
  ASSERT_EQ(::fstat(fd.get(), &file), 0);
  EXPECT_GE(static_cast<std::uint64_t>(file.st_blocks) * 512, kSize);
}

TEST(MemoryTest, AnOldKernelPopulatesByAllocating) {
  Syscalls old = kKernel;
  old.madvise = [](void*, size_t, int) {
    errno = EINVAL;
    return -1;
  };
  const Fd fd = make_memory("comch-test", kSize, Pages::kOrdinary).value();
  const Window window = Window::map(fd, {0, kSize}, Window::kWrite).value();
  {
    const ScopedSyscalls scope(old);
    ASSERT_TRUE(populate(fd, window));
    EXPECT_EQ(advise_huge(window).error().code, Errc::operating_system);
  }
  struct stat file = {};
  ASSERT_EQ(::fstat(fd.get(), &file), 0);
  EXPECT_GE(static_cast<std::uint64_t>(file.st_blocks) * 512, kSize);
}

TEST(MemoryTest, PagesThatAreNotThereAreNoMemory) {
  const Fd fd = make_memory("comch-test", kSize, Pages::kOrdinary).value();
  const Window window = Window::map(fd, {0, kSize}, Window::kWrite).value();
  for (const int sys : {ENOMEM, EFAULT}) {
    const test::RiggedSyscalls rig({.nth = 1, .sys = sys});
    EXPECT_EQ(populate(fd, window).error().code, Errc::no_memory);
  }
  const test::RiggedSyscalls rig({.nth = 1, .sys = EPERM});
  EXPECT_EQ(populate(fd, window).error().code, Errc::operating_system);
}

// Ordinary memory that says of itself that it consists of huge pages.
TEST(MemoryTest, OfHugePagesIsAWholeNumberOfThem) {
  Syscalls rich = kKernel;
  rich.memfd_create = [](const char* name, unsigned flags) {
    EXPECT_NE(flags & MFD_HUGETLB, 0u);
    return ::memfd_create(name, flags & ~MFD_HUGETLB);
  };
  rich.fstat = [](int fd, struct stat* out) {
    const int done = ::fstat(fd, out);
    out->st_blksize = 1 << 21;
    return done;
  };
  const ScopedSyscalls scope(rich);
  const Fd fd = make_memory("comch-test", 1, Pages::kPool).value();
  EXPECT_EQ(memory_size(fd).value(), 1u << 21);
}

TEST(MemoryTest, WhatIsNoMemoryIsRefused) {
  std::array<int, 2> pipe = {};
  ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
  const Fd reader(pipe[0]);
  const Fd writer(pipe[1]);
  const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const Fd program(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  const Fd directory(::open("/dev/shm", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (const Fd* fd : {&reader, &null, &program, &directory}) {
    EXPECT_EQ(memory_size(*fd).error().code, Errc::invalid_value);
    EXPECT_EQ(dmabuf_size(*fd).error().code, Errc::invalid_value);
  }
  const Fd memory = make_memory("comch-test", kSize, Pages::kOrdinary).value();
  EXPECT_EQ(dmabuf_size(memory).error().code, Errc::invalid_value);
  EXPECT_EQ(memory_size(Fd()).error().sys, EBADF);
}

TEST(MemoryTest, ADmaBufIsToldByItsFileSystem) {
  Syscalls driver = kKernel;
  driver.fstatfs = [](int fd, struct statfs* out) {
    const int done = ::fstatfs(fd, out);
    out->f_type = 0x444d4142;  // "DMAB"
    return done;
  };
  const Fd fd = make_memory("comch-test", kSize, Pages::kOrdinary).value();
  const ScopedSyscalls scope(driver);
  EXPECT_EQ(dmabuf_size(fd).value(), kSize);
  EXPECT_EQ(memory_size(fd).error().code, Errc::invalid_value);
}

TEST(MemoryTest, ADuplicateIsTheSameFileAndNotInherited) {
  const Fd fd = make_memory("comch-test", kSize, Pages::kOrdinary).value();
  const Fd copy = duplicate(fd.get()).value();
  EXPECT_NE(copy.get(), fd.get());
  EXPECT_EQ(file_id(copy).value(), file_id(fd).value());
  EXPECT_NE(::fcntl(copy.get(), F_GETFD) & FD_CLOEXEC, 0);
  EXPECT_EQ(duplicate(-1).error().code, Errc::invalid_value);
  const Fd other = make_memory("comch-test", kSize, Pages::kOrdinary).value();
  EXPECT_NE(file_id(other).value(), file_id(fd).value());
}

TEST(MemoryTest, FrozenMemoryKeepsItsContentForEver) {
  const Fd fd = make_blank_memory("comch-test").value();
  ASSERT_TRUE(freeze_memory(fd, bytes("content")));
  EXPECT_EQ(::pwrite(fd.get(), "x", 1, 0), -1);
  EXPECT_EQ(::ftruncate(fd.get(), 0), -1);
  std::vector<std::byte> read(7);
  ASSERT_TRUE(read_frozen_memory(fd, read));
  EXPECT_EQ(std::memcmp(read.data(), "content", 7), 0);
}

TEST(MemoryTest, WhatCouldChangeIsNotReadAsFrozen) {
  std::vector<std::byte> read(7);
  const Fd sealed = make_memory("comch-test", 7, Pages::kOrdinary).value();
  ASSERT_TRUE(seal_memory(sealed, ForOthers::kReadOnly));
  EXPECT_EQ(read_frozen_memory(sealed, read).error().code, Errc::invalid_value);
  const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  EXPECT_EQ(read_frozen_memory(null, read).error().code, Errc::invalid_value);
  EXPECT_EQ(read_frozen_memory(Fd(), read).error().code, Errc::operating_system);
}

TEST(MemoryTest, FrozenMemoryOfAnotherSizeIsRefused) {
  const Fd fd = make_blank_memory("comch-test").value();
  ASSERT_TRUE(freeze_memory(fd, bytes("content")));
  std::vector<std::byte> read(8);
  EXPECT_EQ(read_frozen_memory(fd, read).error().code, Errc::invalid_value);
}

}  // namespace
}  // namespace comch::os
