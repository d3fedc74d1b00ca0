// KernelIo: which transfers registered memory is for, and which go without the ring.
#include "uring/kernel_io.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/deadline.h"
#include "unit/uring/transfer_pair.h"

namespace comch::uring::test {
namespace {

TEST(KernelIoTest, PinnedPagesAreForRegisteredFilesThatPassByTheCache) {
  TempDir dir;
  std::ofstream(dir / "file") << "text";
  const auto open = [&](int flags) {
    return File(::open((dir / "file").c_str(), O_RDONLY | O_CLOEXEC | flags));
  };
  const File cached = open(0);
  const File direct = open(O_DIRECT);
  KernelIo io({.transfers = 1});
  EXPECT_FALSE(io.passes_by_the_cache(direct, false)) << "it is not known";
  const int number = io.register_file(cached).value();
  EXPECT_FALSE(io.passes_by_the_cache(number, true));
  ASSERT_TRUE(io.unregister_file(number));
  ASSERT_EQ(io.register_file(direct).value(), number);
  EXPECT_TRUE(io.passes_by_the_cache(number, true));
  ASSERT_TRUE(io.unregister_file(number));
  for (const int none : {number, -1, static_cast<int>(KernelIo::kMaxFiles), 1 << 30}) {
    EXPECT_FALSE(io.passes_by_the_cache(none, true)) << none;
  }
}

// Reads of a registered file, and the transfers for them.
struct ReadNowTest : testing::Test {
  // Two pages and a part of one.
  static constexpr std::uint64_t kSize = 10'000;

  ReadNowTest() {
    std::ofstream(dir / "file") << std::string(kSize, 'x');
    file.emplace(::open((dir / "file").c_str(), O_RDONLY | O_CLOEXEC));
    number = io.register_file(*file).value();
  }
  void SetUp() override {
    char byte = 0;
    const iovec to{.iov_base = &byte, .iov_len = 1};
    if (::preadv2(*file, &to, 1, 0, RWF_NOWAIT) < 0) {
      GTEST_SKIP() << "the temporary directory's file system always waits";
    }
  }
  // It is cached from its writing on.
  Transfer& begin(std::uint64_t offset = 0, std::optional<int> other = std::nullopt) {
    Transfer& t = transfers[used];
    t.fixed_file = !other;
    t.fd = other.value_or(number);
    t.bytes = memory[used++].data();
    t.length = kSize;
    t.offset = offset;
    io.begin(t);
    return t;
  }
  // Where a wait would have to ask the kernel's ring for it.
  bool is_in_the_ring() const { return io.ring_fd() >= 0; }
  // The results of `count` reads, in the order of their transfers.
  std::vector<std::int64_t> results(std::size_t count) {
    std::vector<std::int64_t> all(used, -1'000'000);
    std::size_t got = 0;
    EXPECT_TRUE(eventually([&] {
      io.reap([&](const Transfer& t, std::int64_t res) {
        all[static_cast<std::size_t>(&t - transfers.data())] = res;
        ++got;
      });
      return got == count;
    }));
    return {all.end() - static_cast<std::ptrdiff_t>(count), all.end()};
  }
  // One more, which is taken; whether it went to the ring.
  bool next_goes_to_the_ring() {
    used = 0;
    begin();
    io.flush();
    const bool did = is_in_the_ring();
    EXPECT_EQ(results(1), (std::vector<std::int64_t>{kSize}));
    return did;
  }

  TempDir dir;
  std::array<std::array<std::byte, kSize>, 4> memory{};
  std::array<Transfer, 4> transfers{};
  std::size_t used = 0;
  std::optional<File> file;
  KernelIo io{{.transfers = 8}};
  int number = -1;
};

TEST_F(ReadNowTest, ASingleReadOfACachedFileGoesWithoutTheRing) {
  const Transfer& t = begin();
  io.flush();
  EXPECT_FALSE(is_in_the_ring());
  EXPECT_EQ(results(1), (std::vector<std::int64_t>{kSize}));
  EXPECT_EQ(std::ranges::count(std::span(t.bytes, kSize), std::byte{'x'}), kSize);
  EXPECT_FALSE(io.reap([](Transfer&, std::int64_t) {})) << "it is told of once";
}

TEST_F(ReadNowTest, ItEndsWhereTheFileDoes) {
  begin(kSize - 7);
  io.flush();
  EXPECT_FALSE(is_in_the_ring());
  EXPECT_EQ(results(1), (std::vector<std::int64_t>{7}));
  begin(kSize);
  io.flush();
  EXPECT_EQ(results(1), (std::vector<std::int64_t>{0}));
}

TEST_F(ReadNowTest, AReadGoesOnWhereItIs) {
  Transfer& t = begin();
  t.done = kSize - 100;
  io.flush();
  EXPECT_EQ(results(1), (std::vector<std::int64_t>{100}));
  EXPECT_EQ(t.bytes[kSize - 101], std::byte{0});
  EXPECT_EQ(t.bytes[kSize - 100], std::byte{'x'});
}

TEST_F(ReadNowTest, SeveralGoInOneCallThroughTheRing) {
  begin();
  begin(4096);
  io.flush();
  EXPECT_TRUE(is_in_the_ring());
  EXPECT_EQ(results(2), (std::vector<std::int64_t>{kSize, kSize - 4096}));
}

TEST_F(ReadNowTest, OneBehindAnotherThatNobodyHasTakenGoesThroughTheRing) {
  begin();
  io.flush();
  begin(4096);
  io.flush();
  EXPECT_TRUE(is_in_the_ring());
  EXPECT_EQ(results(2), (std::vector<std::int64_t>{kSize, kSize - 4096}));
}

// Of a file that is not registered it is not known whether its disk would be waited for; and a
// stream has no place that a second attempt could read from.
TEST_F(ReadNowTest, FilesThatAreNotRegisteredAndStreamsGoThroughTheRing) {
  begin(0, *file);
  io.flush();
  EXPECT_TRUE(is_in_the_ring());
  EXPECT_EQ(results(1), (std::vector<std::int64_t>{kSize}));
  begin(kPosition);
  io.flush();
  EXPECT_TRUE(is_in_the_ring());
  EXPECT_EQ(results(1), (std::vector<std::int64_t>{kSize}));
}

TEST_F(ReadNowTest, FilesThatPassByTheCacheGoThroughTheRing) {
  const File direct(::open((dir / "file").c_str(), O_RDONLY | O_CLOEXEC | O_DIRECT));
  number = io.register_file(direct).value();
  begin();
  io.flush();
  EXPECT_TRUE(is_in_the_ring());
  results(1);  // Of an address that is not aligned file systems think differently.
}

// Those behind it are not attempted for a while.
TEST_F(ReadNowTest, WhatCannotBeReadAtOnceIsLeftToTheRing) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
  const File out(pipe[0]);
  const File in(pipe[1]);
  const int cached = std::exchange(number, io.register_file(out).value());
  ASSERT_EQ(::write(in, "text", 4), 4);
  begin();
  io.flush();
  EXPECT_TRUE(is_in_the_ring());
  EXPECT_EQ(results(1), (std::vector<std::int64_t>{4})) << "a ring reads a pipe at any offset";
  number = cached;
  int by_the_ring = 0;
  while (by_the_ring < 1000 && next_goes_to_the_ring()) ++by_the_ring;
  EXPECT_EQ(by_the_ring, 32);
  EXPECT_FALSE(next_goes_to_the_ring());
}

}  // namespace
}  // namespace comch::uring::test
