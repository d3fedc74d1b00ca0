// Packet: edges, descriptors, the end, and peers that send nonsense.
#include "os/packet.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "os/memfd.h"
#include "os/seq_socket.h"
#include "os/slow_close.h"
#include "os/syscalls.h"
#include "support/bytes.h"
#include "support/deadline.h"
#include "support/process_counters.h"
#include "unit/os/raw_packet.h"

namespace comch::os {
namespace {

using test::bytes;

// Two ends; `left` is the peer who may do anything.
struct PacketTest : testing::Test {
  PacketTest() {
    auto [one, other] = pair().value();
    left = std::move(one);
    right = std::move(other);
  }

  Packet next() { return receive(right, buffer).value(); }
  std::string_view text(const Packet& packet) const {
    return {reinterpret_cast<const char*>(buffer.data()), packet.size};
  }

  // What send() would refuse to send.
  void send_descriptors(std::size_t count, std::string_view text) const {
    const Fd any = make_sealed_memfd("any", 1).value();
    send_descriptor(any, count, text);
  }
  void send_descriptor(const Fd& any, std::size_t count = 1, std::string_view text = "x") const {
    test::send_raw(left, text, std::vector<int>(count, any.get()));
  }

  Fd left, right;
  std::array<std::byte, 64> buffer = {};
};

TEST_F(PacketTest, AFileComesWhereFilesAreTakenAndOneOfThem) {
  const Fd file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  const Fd memory = make_sealed_memfd("any", 1).value();
  const std::size_t before = test::open_descriptors().size();
  const auto received = [&](std::vector<int> fds, Files files) {
    test::send_raw(left, "x", fds);
    return receive(right, buffer, {}, files).value();
  };
  {
    const Packet refused = received({file.get()}, Files::kRefused);
    EXPECT_TRUE(refused.truncated);
    EXPECT_FALSE(refused.file);
    const Packet taken = received({memory.get(), file.get()}, Files::kTaken);
    EXPECT_FALSE(taken.truncated);
    EXPECT_TRUE(taken.file);
    EXPECT_EQ(taken.fd_count, 1U);
    const Packet two = received({file.get(), file.get()}, Files::kTaken);
    EXPECT_TRUE(two.truncated);
    EXPECT_TRUE(two.file);
    const Fd directory(::open("/", O_RDONLY | O_CLOEXEC));
    const Packet none = received({directory.get()}, Files::kTaken);
    EXPECT_TRUE(none.truncated);
    EXPECT_FALSE(none.file);
  }
  EXPECT_TRUE(test::eventually([&] { return test::open_descriptors().size() == before; }));
}

TEST_F(PacketTest, PacketsKeepTheirEdgesAndTheirOrder) {
  ASSERT_TRUE(send(left, bytes("one")));
  ASSERT_TRUE(send(left, bytes("three")));
  EXPECT_EQ(text(next()), "one");
  EXPECT_EQ(text(next()), "three");
  EXPECT_EQ(receive(right, buffer).error().code, Errc::again);
}

TEST_F(PacketTest, DescriptorsTravelAndAreCloseOnExec) {
  const std::array fds{make_sealed_memfd("seven", 7).value(),
                       make_sealed_memfd("eight", 8).value()};
  ASSERT_TRUE(send(left, bytes("fds"), std::array{fds[0].get(), fds[1].get()}));
  const Packet packet = next();
  EXPECT_EQ(text(packet), "fds");
  EXPECT_FALSE(packet.truncated);
  ASSERT_EQ(packet.fd_count, 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(sealed_size(packet.fds[i]).value(), 7 + i);
    EXPECT_NE(::fcntl(packet.fds[i].get(), F_GETFD) & FD_CLOEXEC, 0);
  }
  EXPECT_FALSE(packet.fds[2]);
}

TEST_F(PacketTest, AsManyDescriptorsAsThereIsRoomForArrive) {
  send_descriptors(kPacketFds, "x");
  const Packet packet = next();
  EXPECT_EQ(packet.fd_count, kPacketFds);
  EXPECT_FALSE(packet.truncated);
}

TEST_F(PacketTest, DescriptorsBeyondTheRoomAreClosedAndToldOf) {
  for (const std::size_t count : {kPacketFds + 1, std::size_t{253}}) {
    const std::size_t before = test::open_descriptors().size();
    send_descriptors(count, "x");
    {
      const Packet packet = next();
      EXPECT_TRUE(packet.truncated);
      EXPECT_EQ(packet.fd_count, 0U);
    }
    EXPECT_TRUE(test::eventually([] { return slow_jobs() == 0; }));
    EXPECT_EQ(test::open_descriptors().size(), before);
  }
}

TEST_F(PacketTest, WeSendNoMoreDescriptorsThanAreKept) {
  const std::array<int, kPacketFds + 1> many = {};
  EXPECT_EQ(send(left, bytes("x"), many).error().code, Errc::invalid_value);
  EXPECT_EQ(send(left, bytes("x"), std::array{-1}).error().code, Errc::invalid_value);
  EXPECT_EQ(receive(right, buffer).error().code, Errc::again);
}

TEST_F(PacketTest, APacketThatIsTooLongForTheBufferIsToldOf) {
  ASSERT_TRUE(send(left, bytes(std::string(65, 'x'))));
  ASSERT_TRUE(send(left, bytes("next")));
  const Packet packet = next();
  EXPECT_TRUE(packet.truncated);
  EXPECT_EQ(packet.size, 64u);
  EXPECT_EQ(text(next()), "next");
}

TEST_F(PacketTest, APacketThatNoQueueCouldHoldIsRefused) {
  EXPECT_EQ(send(left, bytes(std::string(64u << 20u, 'x'))).error().code, Errc::too_big);
}

TEST_F(PacketTest, AFullQueueSaysTryAgainUntilThereIsRoom) {
  int sent = 0;
  for (;;) {
    const Status s = send(left, bytes("fill"));
    if (!s) {
      EXPECT_EQ(s.error().code, Errc::again);
      break;
    }
    ASSERT_LT(++sent, 100'000);
  }
  for (int i = 0; i < sent; ++i) ASSERT_EQ(text(next()), "fill");
  EXPECT_TRUE(send(left, bytes("fill")));
}

TEST_F(PacketTest, WhatTheKernelCannotTakeAtTheMomentIsToBeTriedAgain) {
  static int sys = 0;
  Syscalls failing = kKernel;
  failing.sendmsg = [](int, const msghdr*, int) {
    errno = sys;
    return ssize_t{-1};
  };
  const ScopedSyscalls scope(failing);
  for (const int each : {EAGAIN, ENOBUFS, ENOMEM, EINTR, ETOOMANYREFS}) {
    sys = each;
    const Status sent = send(left, bytes("x"));
    EXPECT_EQ(sent.error().code, Errc::again) << each;
    EXPECT_EQ(sent.error().sys, each);
  }
}

TEST_F(PacketTest, SendNeverBlocksEvenOnASocketThatSomebodyMadeBlocking) {
  ASSERT_EQ(::fcntl(left.get(), F_SETFL, 0), 0);
  Status s;
  for (int i = 0; s && i < 100'000; ++i) s = send(left, bytes("fill"));
  ASSERT_FALSE(s);
  EXPECT_EQ(s.error().code, Errc::again);
}

TEST_F(PacketTest, WhatWasSentBeforeTheEndComesBeforeIt) {
  ASSERT_TRUE(send(left, bytes("last")));
  left.reset();
  EXPECT_EQ(text(next()), "last");
  EXPECT_TRUE(next().end);
  EXPECT_TRUE(next().end);
}

TEST_F(PacketTest, AnEmptyPacketWithNothingBehindItIsNotTheEndOfAPeerThatLives) {
  ASSERT_TRUE(send(left, {}));
  EXPECT_FALSE(next().end);
  EXPECT_EQ(receive(right, buffer).error().code, Errc::again);
}

TEST_F(PacketTest, AnEmptyPacketIsNotTheEnd) {
  ASSERT_TRUE(send(left, {}));
  ASSERT_TRUE(send(left, bytes("more")));
  const Packet empty = next();
  EXPECT_EQ(empty.size, 0u);
  EXPECT_FALSE(empty.end);
  EXPECT_EQ(text(next()), "more");
}

TEST_F(PacketTest, AnEmptyPacketAheadOfOthersIsNotTheEndEvenOfAPeerThatIsGone) {
  ASSERT_TRUE(send(left, {}));
  ASSERT_TRUE(send(left, bytes("more")));
  left.reset();
  EXPECT_FALSE(next().end);
  EXPECT_EQ(text(next()), "more");
  EXPECT_TRUE(next().end);
}

TEST_F(PacketTest, EmptyPacketsBehindTheLastAreTheEnd) {
  ASSERT_TRUE(send(left, {}));
  ASSERT_TRUE(send(left, {}));
  left.reset();
  EXPECT_TRUE(next().end);
}

TEST_F(PacketTest, AnEmptyPacketMayCarryDescriptors) {
  send_descriptors(1, "");
  left.reset();
  const Packet packet = next();
  EXPECT_FALSE(packet.end);
  EXPECT_EQ(packet.fd_count, 1u);
  EXPECT_TRUE(next().end);
}

TEST_F(PacketTest, APeerThatGoesWithoutReadingStillDeliversWhatItSent) {
  ASSERT_TRUE(send(right, bytes("never read")));
  ASSERT_TRUE(send(left, bytes("sent before")));
  left.reset();  // Linux answers the next call with ECONNRESET, once.
  EXPECT_EQ(text(next()), "sent before");
  EXPECT_TRUE(next().end);
}

TEST_F(PacketTest, SendingToAPeerThatIsGoneFailsWithoutASignal) {
  left.reset();
  EXPECT_EQ(send(right, bytes("x")).error().code, Errc::connection_reset);
}

TEST_F(PacketTest, SendingToAPeerThatWentWithoutReadingFailsToo) {
  ASSERT_TRUE(send(right, bytes("never read")));
  left.reset();
  EXPECT_EQ(send(right, bytes("x")).error().code, Errc::connection_reset);
  EXPECT_EQ(send(right, bytes("x")).error().code, Errc::connection_reset);
}

TEST_F(PacketTest, APeerThatWillSendNoMoreIsAtItsEnd) {
  ASSERT_EQ(::shutdown(left.get(), SHUT_WR), 0);
  EXPECT_TRUE(next().end);
}

}  // namespace
}  // namespace comch::os
