// Slow close: descriptors of a peer's that take their time to be closed, on every way that they can
// come: in a packet, in a socket that came in a packet, and in one that nobody has read.
#include "os/slow_close.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
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
#include "support/log_lines.h"
#include "support/process_counters.h"
#include "unit/os/lingering.h"
#include "unit/os/raw_packet.h"

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
    EXPECT_TRUE(test::eventually([] { return slow_jobs() == 0; }));
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

// A kernel that counts the packets it hands out, and notes who closes.
struct Counting {
  static ssize_t recvmsg(int fd, msghdr* message, int flags) {
    ++packets;
    return ::recvmsg(fd, message, flags);
  }
  static os::Syscalls table() {
    os::Syscalls table = kKernel;
    table.recvmsg = &recvmsg;
    table.close = &close;
    return table;
  }
  static int close(int fd) {
    closer = ::gettid();
    return ::close(fd);
  }
  static inline std::atomic<int> packets = 0;
  static inline std::atomic<pid_t> closer = 0;
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

TEST_F(SlowCloseTest, ASocketThatWasToLingerIsClosedAtOnce) {
  send_away(left, std::move(lingering.socket));
  EXPECT_TRUE(next().truncated);
  EXPECT_TRUE(test::eventually([] { return slow_jobs() == 0; })) << "it lingers for a minute";
}

TEST_F(SlowCloseTest, OfMoreThanAPacketMayHaveNothingIsKeptNorLookedAt) {
  std::vector<std::pair<Fd, Fd>> pairs;
  std::vector<int> raw;
  for (std::size_t n = 0; n <= kPacketFds; ++n) {
    pairs.push_back(pair().value());
    ASSERT_TRUE(send(pairs.back().first, bytes("lies there")));
    raw.push_back(pairs.back().second.get());
  }
  test::send_raw(left, "x", raw);
  const Packet packet = next();
  EXPECT_TRUE(packet.truncated);
  EXPECT_EQ(packet.fd_count, 0U);
  EXPECT_TRUE(test::eventually([] { return slow_jobs() == 0; }));
  EXPECT_EQ(receive(pairs[0].second, buffer).value().size, 10U) << "it was read empty";
}

TEST_F(SlowCloseTest, MuchMemoryThatNobodyHasTakenIsFreedElsewhere) {
  static const os::Syscalls kTable = Counting::table();
  for (const std::size_t size : {kManyBytes, std::size_t{4096}}) {
    const Fd memory = make_sealed_memfd("much", size).value();
    ASSERT_EQ(::fallocate(memory.get(), 0, 0, static_cast<off_t>(size)), 0);
    ASSERT_TRUE(send(left, bytes("x"), std::array{memory.get()}));
    Counting::closer = 0;
    {
      const ScopedSyscalls scope(kTable);
      EXPECT_EQ(next().fd_count, 1U);
      EXPECT_TRUE(test::eventually([] { return Counting::closer != 0 && slow_jobs() == 0; }));
    }
    EXPECT_EQ(Counting::closer != ::gettid(), size == kManyBytes);
  }
}

// Of a peer that has filled it, so that reading it empty would take long.
TEST_F(SlowCloseTest, WhatLiesInASocketIsLookedAtOnce) {
  auto [line, other] = pair().value();
  while (send(other, bytes("x"))) continue;
  const Fd watched(::fcntl(line.get(), F_DUPFD_CLOEXEC, 0));
  static const os::Syscalls kTable = Counting::table();
  send_away(left, std::move(line));
  Counting::packets = 0;
  {
    const ScopedSyscalls scope(kTable);
    EXPECT_TRUE(next().truncated);
    EXPECT_LE(Counting::packets, 2);
  }
}

// A kernel whose close() waits, on every thread but this one, for as long as it is told to.
struct Stuck {
  static int close(int fd) {
    if (::gettid() != test_thread && (stuck_fd < 0 || fd == stuck_fd)) {
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
  static inline std::atomic<int> stuck_fd = -1;  // Or any.
  static inline pid_t test_thread = ::gettid();
};

struct StuckCloseTest : SlowCloseTest {
  StuckCloseTest() {
    Stuck::open = false;
    Stuck::stuck_fd = -1;
    Stuck::test_thread = ::gettid();
  }
  ~StuckCloseTest() override {
    Stuck::open = true;
    EXPECT_TRUE(test::eventually([] { return slow_jobs() == 0; }));
  }
  static inline const os::Syscalls kTable = Stuck::table();
  const ScopedSyscalls scope{kTable};
};

std::vector<Fd> pipes(std::size_t count) {
  std::vector<Fd> fds;
  for (std::size_t n = 0; n < count; ++n) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    ::close(ends[1]);
    fds.emplace_back(ends[0]);
  }
  return fds;
}

TEST_F(StuckCloseTest, OneThatIsNotClosedKeepsNoOtherOpen) {
  std::vector<Fd> fds = pipes(200);
  Stuck::stuck_fd = fds.front().get();
  close_elsewhere(std::move(fds));
  EXPECT_TRUE(test::eventually([] { return slow_jobs() == 1; }));
}

TEST_F(StuckCloseTest, WhatComesBeyondTheThreadsIsClosedOnceTheyAreLetGo) {
  const auto before = test::open_descriptors().size();
  close_elsewhere(pipes(kSlowJobsMax + 2));
  EXPECT_EQ(slow_jobs(), kSlowJobsMax + 2);
  Stuck::open = true;
  EXPECT_TRUE(test::eventually([] { return slow_jobs() == 0; }));
  EXPECT_EQ(test::open_descriptors().size(), before);
}

constexpr Sender kUser = 4242;

// As many packets with one descriptor that does not close.
void send_pipes(const Fd& through, std::size_t count) {
  for (const Fd& fd : pipes(count)) ASSERT_TRUE(send(through, bytes("x"), std::array{fd.get()}));
}

TEST_F(StuckCloseTest, OfOneUserNothingMoreIsTakenWhileSoMuchWaits) {
  const test::LogLines log;
  send_pipes(left, kWaitingOfAUserMax + 1);
  for (std::size_t n = 0; n < kWaitingOfAUserMax; ++n) {
    ASSERT_TRUE(receive(right, buffer, kUser)) << n;
  }
  EXPECT_EQ(receive(right, buffer, kUser).error().code, Errc::connection_reset);
  EXPECT_EQ(slow_jobs(), kWaitingOfAUserMax);
  ASSERT_EQ(log.lines.size(), 1U);
  EXPECT_EQ(log.lines[0],
            "what uid 4242 has sent does not close: nothing more is taken from its processes until "
            "it does");
  EXPECT_EQ(receive(left, buffer, 4243).error().code, Errc::again) << "others are listened to";
  Stuck::open = true;
  EXPECT_TRUE(test::eventually([] { return slow_jobs() == 0; }));
  EXPECT_TRUE(receive(right, buffer, kUser)) << "it was not lost";
}

// A socket that nobody has read may hold as much as its sender may have open.
TEST_F(StuckCloseTest, OfWhatLiesInASocketNoMoreIsTakenWhenItsReaderHangsUp) {
  const auto before = test::open_descriptors().size();
  auto [line, other] = pair().value();
  send_pipes(other, 2 * kWaitingOfAUserMax);
  hang_up(line, kUser);
  line.reset();
  EXPECT_TRUE(test::eventually([] { return slow_jobs() == kWaitingOfAUserMax; }));
  auto [unread, peer] = pair().value();
  send_pipes(peer, kWaitingOfAUserMax);
  hang_up(unread, kUser);
  unread.reset();
  EXPECT_TRUE(test::eventually([] { return slow_jobs() == kWaitingOfAUserMax + 1; }));
  EXPECT_EQ(send(peer, bytes("x")).error().code, Errc::connection_reset);
  Stuck::open = true;
  EXPECT_TRUE(test::eventually([] { return slow_jobs() == 0; }));
  other.reset();
  peer.reset();
  EXPECT_EQ(test::open_descriptors().size(), before);
}

TEST_F(StuckCloseTest, MemoryWaitsForNoDescriptor) {
  close_elsewhere(pipes(kSlowJobsMax + 2));
  const Fd memory = make_sealed_memfd("much", kManyBytes).value();
  std::optional<Mapping> much = Mapping::map(memory, kManyBytes).value();
  much->free_elsewhere(std::make_shared<int>());
  much.reset();
  EXPECT_TRUE(test::eventually([] { return slow_jobs() == kSlowJobsMax + 2; }));
}

}  // namespace
}  // namespace comch::os
