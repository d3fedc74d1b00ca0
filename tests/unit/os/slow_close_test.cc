// Slow close: descriptors of a peer's that take their time to be closed, on every way that they can
// come: in a packet, in a socket that came in a packet, and in one that nobody has read.
#include "os/slow_close.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "os/memfd.h"
#include "os/packet.h"
#include "os/seq_socket.h"
#include "os/syscalls.h"
#include "support/bytes.h"
#include "support/deadline.h"
#include "support/process_counters.h"
#include "unit/os/lingering.h"

namespace comch::os {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;
using test::bytes;

struct SlowCloseTest : testing::Test {
  SlowCloseTest() {
    auto [one, other] = pair().value();
    left = std::move(one);
    right = std::move(other);
  }
  ~SlowCloseTest() override {
    lingering.let_go();
    EXPECT_TRUE(test::eventually([] { return slow_closes() == 0; }));
  }

  Packet next() { return receive(right, buffer).value(); }
  void send_away(const Fd& through, Fd what) {
    ASSERT_TRUE(send(through, bytes("x"), std::array{what.get()}));
  }
  void expect_soon() const { EXPECT_LT(Clock::now() - begin, 20s); }

  Fd left, right;  // `left` is the peer who may do anything.
  std::array<std::byte, 64> buffer = {};
  test::Lingering lingering;
  Clock::time_point begin = Clock::now();
};

TEST_F(SlowCloseTest, MemoryAndSeqSocketsCloseAtOnceAndNothingElseIsTrustedTo) {
  EXPECT_EQ(closing_of(make_sealed_memfd("x", 1).value()), Closing::kAtOnce);
  EXPECT_EQ(closing_of(left), Closing::kOnceEmpty);
  EXPECT_EQ(closing_of(lingering.socket), Closing::kSlow);
  EXPECT_EQ(closing_of(Fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0))), Closing::kSlow);
  const Fd listener(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  const sockaddr unnamed{.sa_family = AF_UNIX, .sa_data = {}};
  ASSERT_EQ(::bind(listener.get(), &unnamed, sizeof unnamed.sa_family), 0);
  ASSERT_EQ(::listen(listener.get(), 1), 0);
  EXPECT_EQ(closing_of(listener), Closing::kSlow) << "its callers have sockets of their own";
}

TEST_F(SlowCloseTest, WhatAPacketBringsIsNotWaitedFor) {
  send_away(left, std::move(lingering.socket));
  {
    const Packet packet = next();
    EXPECT_TRUE(packet.truncated);
    EXPECT_EQ(packet.fd_count, 0U);
  }
  expect_soon();
}

TEST_F(SlowCloseTest, WhatLiesInASocketThatAPacketBringsIsNotWaitedFor) {
  auto [line, other] = pair().value();
  ASSERT_TRUE(send(other, {})) << "an empty packet is not all there is";
  send_away(other, std::move(lingering.socket));
  other.reset();
  send_away(left, std::move(line));
  EXPECT_TRUE(next().truncated);
  expect_soon();
}

TEST_F(SlowCloseTest, NothingComesToLieInASocketThatAPacketHasBrought) {
  auto [line, other] = pair().value();
  send_away(left, std::move(line));
  const Packet packet = next();
  ASSERT_EQ(packet.fd_count, 1U);
  EXPECT_FALSE(packet.truncated);
  EXPECT_EQ(send(other, bytes("x")).error().code, Errc::connection_reset);
  EXPECT_TRUE(send(packet.fds[0], bytes("to be written to")));
  EXPECT_EQ(receive(other, buffer).value().size, 16U);
}

TEST_F(SlowCloseTest, ASocketThatHasNoOtherEndYetIsNotKept) {
  send_away(left, Fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)));
  const Packet packet = next();
  EXPECT_TRUE(packet.truncated);
  EXPECT_EQ(packet.fd_count, 0U);
}

TEST_F(SlowCloseTest, WhatNobodyHasReadIsNotWaitedForByWhoHangsUp) {
  ASSERT_TRUE(send(right, bytes("never read")));  // Its loss is told by an error, once.
  send_away(left, std::move(lingering.socket));
  ASSERT_TRUE(send(left, {}));
  left.reset();
  hang_up(right);
  right.reset();
  expect_soon();
}

// A kernel whose close() waits on every thread but this one.
struct Stuck {
  static int close(int fd) {
    if (::gettid() != test_thread) {
      while (!open.load()) std::this_thread::yield();
    }
    return ::close(fd);
  }
  static os::Syscalls table() {
    os::Syscalls table = kKernel;
    table.close = &close;
    return table;
  }
  static inline std::atomic<bool> open = false;
  static inline pid_t test_thread = ::gettid();
};

TEST_F(SlowCloseTest, SoManyThreadsWaitAndWhatComesBeyondStaysOpen) {
  const auto before = test::open_descriptors();
  {
    static const os::Syscalls kTable = Stuck::table();
    const ScopedSyscalls scope(kTable);
    for (std::size_t n = 0; n < kSlowClosesMax + 2; ++n) {
      std::array<int, 2> ends{};
      ASSERT_EQ(::pipe(ends.data()), 0);
      ::close(ends[1]);
      std::vector<Fd> fds;
      fds.emplace_back(ends[0]);
      close_elsewhere(std::move(fds));
    }
    EXPECT_EQ(slow_closes(), kSlowClosesMax);
    Stuck::open = true;
    EXPECT_TRUE(test::eventually([] { return slow_closes() == 0; }));
  }
  const auto after = test::open_descriptors();
  EXPECT_EQ(after.size(), before.size() + 2);
  for (const auto& [fd, what] : after) {
    if (!before.contains(fd)) ::close(fd);
  }
}

}  // namespace
}  // namespace comch::os
