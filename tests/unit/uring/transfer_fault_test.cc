// Transfers that fail, are cancelled, lose their peer or their ring: nothing that was posted or
// received is lost.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "unit/uring/transfer_pair.h"

namespace comch::uring::test {
namespace {

struct TransferFaultTest : TransferPair {};

TEST_P(TransferFaultTest, AFailureWithinALinkGivesThePostedBufferBackAndEndsTheChain) {
  const File directory(::open(dir.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  post(1);
  for (const int fd : {static_cast<int>(directory), -1, 12'345}) {
    next(1, kLink).prep_send_file(*to, fd, 100, 0);
    next(2, kLink).prep_send(*to, bytes("not sent"));
    next(3).prep_nop();
    wait(3);
    EXPECT_EQ(res(1), fd == directory ? -EISDIR : -EBADF);
    EXPECT_EQ(res(2), -ECANCELED);
    EXPECT_EQ(res(3), -ECANCELED);
  }
  expect_posted(kPosted);
}

TEST_P(TransferFaultTest, AMessageThatCannotBeWrittenIsNotLost) {
  const auto path = dir / "read only";
  std::ofstream(path) << "x";
  const File target(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  next(1, kLink).prep_recv_file(*from, there.room(0, 256), target, 0);
  next(2).prep_nop();
  send("kept", 3);
  wait(3);
  EXPECT_EQ(res(1), -EBADF);
  EXPECT_EQ(find(1)->text, "kept");
  EXPECT_NE(find(1)->buffer, nullptr);
  EXPECT_EQ(res(2), -ECANCELED);
  next(4).prep_recv_file(*from, nullptr, -1, 0);
  wait(1);
  EXPECT_EQ(res(4), -EBADF);
}

TEST_P(TransferFaultTest, LengthsThatDoNotFitAreRefused) {
  const File source = file(pattern(1000));
  post(1);
  next(1).prep_send_file(*to, source, 257, 0);
  next(2).prep_send_file(*to, source, 0, 0);
  next(3).prep_send_file(*to, source, ~std::uint64_t{0}, 0);
  const std::string much(Consumer::kMaxImmediate + 1, 'x');
  next(4).prep_send_file(*to, source, 100, 0, bytes(much));
  wait(4);
  for (const std::uint64_t n : {1U, 2U, 3U, 4U}) EXPECT_EQ(res(n), -EINVAL) << n;
  expect_posted(kPosted);
}

TEST_P(TransferFaultTest, MoreThanMayBeUnderWayWait) {
  const std::string text = pattern(64);
  const File source = file(text);
  for (std::uint64_t n = 0; n < 40; ++n) next(100 + n).prep_send_file(*to, source, 64, 0);
  ring->submit().value();
  expect_quiet();
  std::size_t over = 0;
  while (over < 80 && !HasFailure()) {
    post(8);
    wait(16);
    for (const Seen& s : seen) EXPECT_EQ(s.res, 64);
    over += seen.size();
  }
}

struct ManyTransfers : TransferPair {
  ManyTransfers() : TransferPair(64) {}
};
TEST_P(ManyTransfers, EndEachAsItDoesByItself) {
  constexpr std::uint64_t kFiles = 40, kSent = 24;
  const std::string text = pattern(1000);
  const File source = file(text);
  const std::string much(Consumer::kMaxImmediate + 1, 'x');
  post(kDepth);
  for (std::uint64_t n = 0; n < kFiles; ++n) {
    Submission& s = next(n, n % 16 == 5 ? kSkipSuccess : 0);
    if (n % 8 == 1) {
      s.prep_send_file(*to, source, 257, 0);  // More than the room.
    } else if (n % 8 == 2) {
      s.prep_send_file(*to, source, 100, n, bytes("beside"));
    } else if (n % 8 == 3) {
      s.prep_send_file(*to, -1, 100, n);
    } else if (n % 8 == 4) {
      s.prep_send_file(*to, source, 100, 950);  // It ends ahead of that.
    } else if (n % 8 == 6) {
      s.prep_send_file(*to, source, 100, 1000);
    } else if (n == 39) {
      s.prep_send_file(*to, source, 100, n, bytes(much));
    } else {
      s.prep_send_file(*to, source, 100, n);
    }
  }
  const auto sends = [](std::uint64_t n) {
    return n % 8 != 1 && n % 8 != 3 && n % 8 != 6 && n != 39;
  };
  std::vector<Seen> all;
  for (std::size_t posted = kDepth; all.size() < kFiles - 3 + kSent && !HasFailure();) {
    wait(1);
    all.insert(all.end(), seen.begin(), seen.end());
    const auto arrived =
        std::ranges::count_if(seen, [](auto& s) { return s.user_data >= kPosted; });
    const std::size_t more = std::min(kSent + 1 - posted, static_cast<std::size_t>(arrived));
    post(more, kPosted + posted);
    posted += more;
  }
  seen = all;
  std::multiset<std::string> expected, arrived;
  for (std::uint64_t n = 0; n < kFiles; ++n) {
    const std::int64_t short_of = n % 8 == 4 ? 50 : 100;
    if (sends(n)) expected.insert(text.substr(n % 8 == 4 ? 950 : n, 100) + (n % 8 == 2 ? "+" : ""));
    if (n % 16 == 5) {
      EXPECT_EQ(find(n), nullptr) << n;
    } else if (n % 8 == 1 || n == 39) {
      EXPECT_EQ(res(n), -EINVAL) << n;
    } else if (n % 8 == 3) {
      EXPECT_EQ(res(n), -EBADF) << n;
    } else {
      EXPECT_EQ(res(n), n % 8 == 6 ? 0 : short_of) << n;
    }
  }
  for (const Seen& s : seen) {
    if (s.user_data < kPosted) continue;
    arrived.insert(s.text + (s.immediate == "beside" ? "+" : ""));
  }
  EXPECT_EQ(arrived, expected);
  EXPECT_EQ(arrived.size(), kSent);
  // Which of the buffers is left the failures have decided; none is lost.
  send("the next", 99);
  wait(2);
  EXPECT_NE(std::ranges::find(seen, "the next", &Seen::text), seen.end());
}

struct NoTransfers : TransferPair {
  NoTransfers() : TransferPair(0) {}
};
TEST_P(NoTransfers, AreRefused) {
  const File source = file("x");
  post(1);
  next(1).prep_send_file(*to, source, 1);
  next(2).prep_recv_file(*from, nullptr, source);
  next(3).prep_write_file(source, bytes("x"));
  wait(3);
  for (const std::uint64_t n : {1U, 2U, 3U}) EXPECT_EQ(res(n), -EOPNOTSUPP);
  expect_posted(kPosted);
}

TEST_P(TransferFaultTest, ACancelOfWhatWaitsInTheKernelGivesThePostedBufferBack) {
  Pipe pipe;
  post(1);
  next(1, kLink).prep_send_file(*to, *pipe.from, 100);
  next(2).prep_nop();
  expect_quiet();
  next(3).prep_cancel(1);
  wait(3);
  EXPECT_EQ(res(3), 0);
  EXPECT_EQ(res(1), -ECANCELED);
  EXPECT_EQ(res(2), -ECANCELED);
  // One that is not even submitted to the kernel yet.
  next(4).prep_send_file(*to, *pipe.from, 100);
  next(5).prep_cancel(4);
  wait(2);
  EXPECT_EQ(res(4), -ECANCELED);
  // One in the line of the posted buffers.
  post(1);
  next(6).prep_send_file(*to, *pipe.from, 100);
  next(7).prep_send_file(*to, *pipe.from, 100);
  ring->submit().value();
  next(8).prep_cancel(7);
  next(9).prep_cancel(6);
  wait(4);
  EXPECT_EQ(res(7), -ECANCELED);
  EXPECT_EQ(res(6), -ECANCELED);
  pipe.write("it is still there");
  next(10).prep_send_file(*to, *pipe.from, 17);
  wait(2);
  EXPECT_EQ(res(10), 17);
}

TEST_P(TransferFaultTest, WhatACancelledReadHasTakenFromAPipeIsSent) {
  Pipe pipe;
  post(1);
  next(1).prep_send_file(*to, *pipe.from, 100);
  pipe.write("taken");
  expect_quiet();
  next(2).prep_cancel(1);
  wait(3);
  EXPECT_EQ(res(2), 0);
  EXPECT_EQ(res(1), 5);
  EXPECT_EQ(find(kPosted)->text, "taken");
}

TEST_P(TransferFaultTest, ACancelledWriteLeavesItsMessage) {
  Pipe pipe;
  const std::string much(1 << 16U, 'x');
  pipe.write(much);  // It is full now.
  next(1).prep_recv_file(*from, there.room(0, 256), *pipe.to);
  next(2).prep_write_file(*pipe.to, bytes("behind it"));
  send("kept", 3);
  wait(1);
  // A buffer whose message has not come cannot be cancelled.
  const Deadline deadline;
  while (consumer->counters().received_messages == 0 && !deadline.passed()) {
    EXPECT_EQ(ring->peek(), nullptr);
  }
  expect_quiet();
  next(4).prep_cancel(2);
  next(5).prep_cancel(1);
  wait(4);
  EXPECT_EQ(res(4), 0);
  EXPECT_EQ(res(2), -ECANCELED);
  EXPECT_EQ(res(5), 0);
  EXPECT_EQ(res(1), -ECANCELED);
  EXPECT_EQ(find(1)->text, "kept");
}

TEST_P(TransferFaultTest, APeerThatIsLostInTheMiddleOfAFileEndsItWhenTheKernelIsDone) {
  Pipe pipe;
  post(1);
  next(1).prep_send_file(*to, *pipe.from, 100);
  pipe.write("half");
  expect_quiet();
  EXPECT_EQ(ring->unregister(*to).error().code, Errc::in_use);
  ASSERT_TRUE((*client.client).abort());
  wait(1);
  EXPECT_EQ(res(kPosted), -ECONNRESET);
  // The kernel writes to where the consumer's memory was; it is still there.
  pipe.write(std::string(96, 'x'));
  wait(1);
  EXPECT_EQ(res(1), -ECONNRESET);
  EXPECT_TRUE(ring->unregister(*to));
}

TEST_P(TransferFaultTest, ARingThatEndsTakesItsTransfersWithIt) {
  Pipe pipe;
  Sockets sockets;
  post(2);
  next(1).prep_send_file(*to, *pipe.from, 100);
  next(2).prep_send_socket(*to, *sockets.here, 100);
  expect_quiet();
  ring.reset();
  // Nobody reads from either any more.
  pipe.write("x");
  sockets.write("x");
  char got = 0;
  EXPECT_EQ(::read(*pipe.from, &got, 1), 1);
  EXPECT_EQ(::recv(*sockets.here, &got, 1, MSG_DONTWAIT), 1);
  // What was to be read into is the next sends', and what was posted is the consumer's.
  const std::array messages{Outgoing{.data = bytes("free"), .immediate = {}},
                            Outgoing{.data = bytes("again"), .immediate = {}}};
  EXPECT_EQ(producer->send(consumer->id(), messages).value_or(0), 2U);
  std::array<Received, 4> received;
  EXPECT_EQ(consumer->poll(received), 2U);
  EXPECT_EQ(text_of(received[1].buffer->contents()), "again");
  for (const Received& r : std::span(received).first(2)) r.buffer->reset_data_length();
  EXPECT_EQ(consumer->post(std::array{received[0].buffer, received[1].buffer}).value_or(0), 2U);
  ring = Ring::create(*engine, {}).value();
  for (Context* context :
       {static_cast<Context*>(consumer.get()), static_cast<Context*>(producer.get())}) {
    ASSERT_TRUE(context->abort());
  }
  std::size_t back = 0;
  EXPECT_TRUE(run_until([&] {
    std::array<Buffer*, 4> buffers{};
    const std::size_t count = consumer->take_back(buffers);
    for (Buffer* buffer : std::span(buffers).first(count)) std::ignore = buffer->drop_reference();
    back += count;
    return consumer->state() == ContextState::kIdle;
  }));
  EXPECT_EQ(back, 2U);
}

INSTANTIATE_TEST_SUITE_P(In, TransferFaultTest, kWays, name_of_way);
INSTANTIATE_TEST_SUITE_P(In, ManyTransfers, kWays, name_of_way);
INSTANTIATE_TEST_SUITE_P(In, NoTransfers, kWays, name_of_way);

}  // namespace
}  // namespace comch::uring::test
