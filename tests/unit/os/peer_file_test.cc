// PeerFile: what is read without waiting, what is not, and what counts as a file.
#include "os/peer_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

#include "os/memory.h"
#include "support/deadline.h"
#include "support/nameless_file.h"
#include "support/process_counters.h"
#include "unit/os/rigged_syscalls.h"

namespace comch::os {
namespace {

struct PeerFileTest : testing::Test {
  Fd fd() const { return duplicate(file.fd()).value(); }
  Fd opened(int flags) const {
    const std::string path = "/proc/self/fd/" + std::to_string(file.fd());
    return Fd(::open(path.c_str(), flags | O_CLOEXEC));
  }

  const std::string text = "what is in the file";
  const test::NamelessFile file{text};
  std::array<std::byte, 7> room{};
};

TEST_F(PeerFileTest, WhatIsInTheCacheIsRead) {
  const PeerFile peer(fd(), std::nullopt);
  ASSERT_TRUE(peer.read(room, 5));
  EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(room.data()), room.size()), "is in t");
}

TEST_F(PeerFileTest, WhatGoesBeyondTheEndIsNot) {
  const PeerFile peer(fd(), std::nullopt);
  EXPECT_FALSE(peer.read(room, text.size() - 6));
  EXPECT_FALSE(peer.read(room, 1U << 20U));
  EXPECT_FALSE(peer.read(room, ~std::uint64_t{0}));
  EXPECT_FALSE(PeerFile().read(room, 0));
}

TEST_F(PeerFileTest, WhatWouldHaveToBeWaitedForIsNotReadAndAnInterruptedReadIs) {
  Syscalls slow = kKernel;
  static int calls = 0;
  calls = 0;
  slow.pread_cached = [](int, void*, size_t, off_t) -> ssize_t {
    ++calls;
    errno = EAGAIN;
    return -1;
  };
  const PeerFile peer(fd(), std::nullopt);
  {
    const ScopedSyscalls scope(slow);
    EXPECT_FALSE(peer.read(room, 0));
    EXPECT_EQ(calls, 1);
  }
  slow.pread_cached = [](int file, void* into, size_t size, off_t at) {
    if (++calls % 2 == 0) return kKernel.pread_cached(file, into, size, at);
    errno = EINTR;
    return ssize_t{-1};
  };
  calls = 0;
  const ScopedSyscalls scope(slow);
  EXPECT_TRUE(peer.read(room, 0));
}

TEST_F(PeerFileTest, ACachedFileIsARegularOneThatIsReadThroughTheCache) {
  EXPECT_TRUE(is_cached_file(fd()));
  EXPECT_TRUE(is_cached_file(opened(O_RDONLY)));
  EXPECT_FALSE(is_cached_file(opened(O_WRONLY)));
  EXPECT_FALSE(is_cached_file(opened(O_PATH)));
  EXPECT_FALSE(is_cached_file(Fd()));
  EXPECT_FALSE(is_cached_file(Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC))));
  EXPECT_FALSE(is_cached_file(Fd(::open("/", O_RDONLY | O_CLOEXEC))));
  const Fd direct = opened(O_RDONLY | O_DIRECT);  // Not every file system has that.
  EXPECT_FALSE(direct && is_cached_file(direct));
  EXPECT_TRUE(is_regular_file(opened(O_WRONLY)));
  EXPECT_FALSE(is_regular_file(Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC))));
}

TEST_F(PeerFileTest, WhereTheKernelDoesNotSayWhatItIsNothingSpeaksAgainstIt) {
  Syscalls filtered = kKernel;
  filtered.known_mode = [](int, mode_t*) {
    errno = EPERM;
    return -1;
  };
  const ScopedSyscalls scope(filtered);
  EXPECT_TRUE(is_cached_file(fd()));
}

TEST_F(PeerFileTest, ItIsClosedOnceWhereverItHasGone) {
  const std::size_t before = test::open_descriptors().size();
  {
    PeerFile one(fd(), std::nullopt);
    PeerFile other(std::move(one));
    EXPECT_FALSE(one);  // NOLINT(bugprone-use-after-move)
    PeerFile third(fd(), std::nullopt);
    third = std::move(other);
    EXPECT_TRUE(third);
    EXPECT_TRUE(test::eventually([&] { return test::open_descriptors().size() == before + 1; }));
  }
  EXPECT_TRUE(test::eventually([&] { return test::open_descriptors().size() == before; }));
}

}  // namespace
}  // namespace comch::os
