// Pipes and sockets to messages and back, in order and whole.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "support/deadline.h"
#include "unit/uring/transfer_pair.h"

namespace comch::uring::test {
namespace {

struct StreamTransferTest : TransferPair {
  // All that comes out of the pipe until so many operations are over.
  std::string read_while_written(int pipe, std::size_t operations) {
    std::string got;
    std::size_t over = 0;
    bool empty = false;
    for (const Deadline deadline; (over < operations || !empty) && !deadline.passed();) {
      std::ignore = ring->submit_and_wait(1, 1ms);
      over += ring->ready();
      reap();
      std::array<char, 5000> some{};
      const ssize_t size = ::read(pipe, some.data(), some.size());
      empty = size <= 0;
      if (!empty) got.append(some.data(), static_cast<std::size_t>(size));
    }
    return got;
  }
};

TEST_P(StreamTransferTest, APipeIsReadUntilThereIsEnoughOrItEnds) {
  for (const int flags : {0, O_NONBLOCK}) {
    Pipe pipe(flags);
    post(3);
    next(1).prep_send_file(*to, *pipe.from, 10);
    ring->submit().value();
    for (const std::string_view piece : {"one", "two", "four"}) {
      pipe.write(piece);
      if (piece != "four") expect_quiet();
    }
    wait(2);
    EXPECT_EQ(find(kPosted)->text, "onetwofour");
    next(2).prep_send_file(*to, *pipe.from, 10);
    pipe.write("end");
    expect_quiet();
    pipe.to->close();
    wait(2);
    EXPECT_EQ(res(2), 3);
    next(3).prep_send_file(*to, *pipe.from, 10);
    wait(1);
    EXPECT_EQ(res(3), 0);
    expect_posted(kPosted + 2);
  }
}

TEST_P(StreamTransferTest, AFullPipeIsWaitedForAndAllOfTheMessagesGoInInOrder) {
  const std::string text = pattern(kLarge);
  for (const int flags : {0, O_NONBLOCK}) {
    Pipe pipe(flags);
    const File source = file(text);
    for (std::uint64_t n = 0; n < 4; ++n) {
      next(n).prep_recv_file(*from, there.room(n << 16U, 48 << 10U), *pipe.to);
      next(10 + n, kLink).prep_send_file(*to, source, kLarge, 0);
    }
    std::string got;
    const Deadline deadline;
    seen.clear();
    while ((seen.size() < 8 || got.size() < 4 * kLarge) && !deadline.passed()) {
      std::ignore = ring->submit_and_wait(1, 1ms);
      reap();
      std::array<char, 5000> some{};
      if (got.size() == 4 * kLarge) continue;
      pollfd ready{.fd = *pipe.from, .events = POLLIN, .revents = 0};
      if (::poll(&ready, 1, 0) != 1) continue;
      const ssize_t size = ::read(*pipe.from, some.data(), some.size());
      if (size > 0) got.append(some.data(), static_cast<std::size_t>(size));
    }
    for (std::uint64_t n = 0; n < 4; ++n) EXPECT_EQ(got.substr(n * kLarge, kLarge), text);
    for (std::uint64_t n = 0; n < 4; ++n) EXPECT_EQ(res(n), kLarge);
  }
}

TEST_P(StreamTransferTest, WhatASocketReceivesIsAMessage) {
  Sockets sockets;
  post(3);
  next(1).prep_send_socket(*to, *sockets.here, 100);
  expect_quiet();
  sockets.write("as it comes");
  wait(2);
  EXPECT_EQ(res(1), 11);
  EXPECT_EQ(find(kPosted)->text, "as it comes");
  next(2).prep_send_socket(*to, *sockets.here, 10, MSG_WAITALL, bytes("beside"));
  ring->submit().value();
  sockets.write("not yet");
  expect_quiet();
  sockets.write(" now, and more");
  wait(2);
  EXPECT_EQ(find(kPosted + 1)->text, "not yet no");
  EXPECT_EQ(find(kPosted + 1)->immediate, "beside");
  next(3).prep_send_socket(*to, *sockets.here, 100);
  wait(2);
  EXPECT_EQ(find(kPosted + 2)->text, "w, and more");
  next(4).prep_send_socket(*to, *sockets.here, 100, MSG_DONTWAIT);
  post(1, 50);
  wait(1);
  EXPECT_EQ(res(4), -EAGAIN);
  sockets.other->close();
  next(5).prep_send_socket(*to, *sockets.here, 100);
  wait(1);
  EXPECT_EQ(res(5), 0);
  expect_posted(50);
}

TEST_P(StreamTransferTest, MessagesGoToASocketInOrderAndWhole) {
  Sockets sockets;
  const int small = 4096;
  ASSERT_EQ(::setsockopt(*sockets.here, SOL_SOCKET, SO_SNDBUF, &small, sizeof small), 0);
  const std::string text = pattern(4 * kLarge);
  const File source = file(text);
  for (std::uint64_t n = 0; n < 4; ++n) {
    next(n).prep_recv_socket(*from, there.room(n << 16U, 48 << 10U), *sockets.here);
    next(10 + n, kLink).prep_send_file(*to, source, kLarge, n * kLarge);
  }
  next(20).prep_nop();
  std::string got;
  const Deadline deadline;
  seen.clear();
  while ((seen.size() < 9 || got.size() < text.size()) && !deadline.passed()) {
    std::ignore = ring->submit_and_wait(1, 1ms);
    reap();
    std::array<char, 5000> some{};
    const ssize_t size = ::recv(*sockets.other, some.data(), some.size(), MSG_DONTWAIT);
    if (size > 0) got.append(some.data(), static_cast<std::size_t>(size));
  }
  EXPECT_EQ(got, text);
  sockets.other->close();
  next(1).prep_recv_socket(*from, there.room(0, 256), *sockets.here);
  send("nobody reads it", 2);
  wait(2);
  EXPECT_EQ(res(1), -EPIPE);
  EXPECT_EQ(find(1)->text, "nobody reads it");
}

TEST_P(StreamTransferTest, WhatComesAfterSomebodyElseHasReadIsNotLost) {
  Sockets sockets;
  const File same(::dup(*sockets.here));
  post(2);
  next(1).prep_send_socket(*to, *sockets.here, 100);
  next(2).prep_send_socket(*to, same, 100);
  expect_quiet();
  for (const std::string_view text : {"the first", "the second"}) {
    sockets.write(text);
    wait(2);
    EXPECT_TRUE(std::ranges::find(seen, text, &Seen::text) != seen.end());
  }
}

TEST_P(StreamTransferTest, NothingIsWrittenTwiceBehindSomebodyElse) {
  const Pipe pipe(O_NONBLOCK);
  const File same(::dup(*pipe.to));
  const std::string text = pattern(kLarge);
  ASSERT_GE(::fcntl(*pipe.to, F_SETPIPE_SZ, 4096), 0);
  next(1).prep_write_file(*pipe.to, bytes(text));
  next(2).prep_write_file(same, bytes(text));
  EXPECT_EQ(read_while_written(*pipe.from, 2).size(), 2 * kLarge);
}

TEST_P(StreamTransferTest, ARegisteredFileAndItsDescriptorAreOneStream) {
  const Pipe pipe(O_NONBLOCK);
  const int number = ring->register_file(*pipe.to).value();
  const int again = ring->register_file(*pipe.to).value();
  const std::string text = pattern(kLarge);
  ASSERT_GE(::fcntl(*pipe.to, F_SETPIPE_SZ, 4096), 0);
  next(1).prep_write_file(*pipe.to, bytes(text));
  next(2, kFixedFile).prep_write_file(number, bytes(text));
  next(3, kFixedFile).prep_write_file(again, bytes(text));
  EXPECT_TRUE(read_while_written(*pipe.from, 3) == text + text + text);
}

TEST_P(StreamTransferTest, ADescriptorThatIsUsedAgainIsAnotherStream) {
  std::optional<Sockets> sockets(std::in_place);
  const int number = ring->register_file(*sockets->here).value();
  post(2);
  next(1, kFixedFile).prep_send_socket(*to, number, 100);
  ring->submit().value();
  const int descriptor = *sockets->here;
  const Sockets others;
  ASSERT_EQ(::dup3(*others.here, descriptor, O_CLOEXEC), descriptor);
  next(2).prep_send_socket(*to, descriptor, 100);
  others.write("of the other one");
  wait(2);
  EXPECT_EQ(res(2), 16);
  sockets->write("of the first");
  wait(2);
  EXPECT_EQ(res(1), 12);
}

TEST_P(StreamTransferTest, AWriteToASocketAsToAFileKeepsNobodyWaitingUntilItIsRead) {
  Sockets sockets;
  const std::string text = pattern(std::size_t{4} << 20U);
  std::atomic<bool> submitted{false};
  bool in_time = false;
  std::jthread reader([&] {
    in_time = eventually([&] { return submitted.load(); });
    std::vector<char> some(text.size());
    ::recv(*sockets.other, some.data(), some.size(), MSG_WAITALL);
  });
  next(1).prep_write_file(*sockets.here, bytes(text));
  ring->submit().value();
  submitted = true;
  wait(1);
  EXPECT_EQ(res(1), static_cast<std::int64_t>(text.size()));
  reader.join();
  EXPECT_TRUE(in_time);
}

INSTANTIATE_TEST_SUITE_P(In, StreamTransferTest, kWays, name_of_way);

}  // namespace
}  // namespace comch::uring::test
