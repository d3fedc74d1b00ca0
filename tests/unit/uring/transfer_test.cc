// Files and sockets to messages and back: with what is registered, without, and without an
// io_uring for it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>

#include "support/child_process.h"
#include "unit/uring/ring_pair.h"

namespace comch::uring::test {
namespace {

struct Way {
  Place place;
  bool registered;
};

// A descriptor that is closed at the end.
class File {
 public:
  explicit File(int fd) : fd_(fd) { EXPECT_GE(fd, 0) << std::strerror(errno); }
  ~File() { close(); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  operator int() const { return fd_; }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

struct TransferTest : RingPair, testing::WithParamInterface<Way> {
  static constexpr std::uint64_t kLarge = 40'000;  // Neither whole pages nor whole sectors.

  explicit TransferTest(std::uint32_t transfers = 4)
      : RingPair(
            GetParam().place,
            {.transfers = transfers, .spin = 0ns, .without_registration = !GetParam().registered}) {
    if (!ring->features().registered_memory) return;
    EXPECT_TRUE(ring->register_memory(*to));
    EXPECT_TRUE(ring->register_memory(there.map()));
  }

  File file(const std::string& text, int flags = 0) {
    const auto path = dir / std::to_string(++files);
    std::ofstream(path) << text;
    return File(::open(path.c_str(), O_RDWR | O_CLOEXEC | flags));
  }
  static std::string read_back(int fd) {
    std::string text(1 << 20U, ' ');
    const ssize_t got = ::pread(fd, text.data(), text.size(), 0);
    EXPECT_GE(got, 0);
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    return text;
  }
  void post_large(std::uint64_t user_data, std::size_t offset = 0) {
    next(user_data).prep_post_recv(*from, there.room(offset, 48 << 10U));
    ring->submit().value();
  }
  // That what is posted is not lost: the next message finds it.
  void expect_posted(std::uint64_t user_data) {
    send("the next", 99);
    wait(2);
    ASSERT_NE(find(user_data), nullptr);
    EXPECT_EQ(find(user_data)->text, "the next");
  }
  void expect_quiet() { EXPECT_EQ(ring->submit_and_wait(1, 5ms).error().code, Errc::time_out); }

  TempDir dir;
  int files = 0;
};

struct Pipe {
  explicit Pipe(int flags = 0) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC | flags), 0);
    from.emplace(ends[0]);
    to.emplace(ends[1]);
  }
  void write(std::string_view text) const {
    EXPECT_EQ(::write(*to, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  std::optional<File> from, to;
};

struct Sockets {
  Sockets() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    here.emplace(ends[0]);
    other.emplace(ends[1]);
  }
  void write(std::string_view text) const {
    EXPECT_EQ(::write(*other, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  std::optional<File> here, other;
};

// --- Files -------------------------------------------------------------------------------

TEST_P(TransferTest, FeaturesSayWhatMovesThem) {
  const Features features = ring->features();
  const bool has_ring = GetParam().place != Place::kPoll;
  EXPECT_EQ(features.transfer_ring, has_ring);
  EXPECT_EQ(features.registered_files, has_ring && GetParam().registered);
  EXPECT_EQ(features.registered_memory, has_ring && GetParam().registered);
  if (features.registered_memory) {
    EXPECT_EQ(ring->register_memory(*to).error().code, Errc::already_exist);
  } else {
    EXPECT_EQ(ring->register_memory(*to).error().code, Errc::not_supported);
    EXPECT_EQ(ring->register_memory(there.map()).error().code, Errc::not_supported);
  }
}

TEST_P(TransferTest, AFileGoesIntoMessagesAndMessagesIntoAFile) {
  const std::string text = pattern(3 * kLarge);
  const File source = file(text);
  const File target = file("");
  for (std::uint64_t n = 0; n < 3; ++n) {
    next(10 + n).prep_recv_file(*from, there.room(n << 16U, 48 << 10U), target, n * kLarge);
    // Their reads may end in any order; one behind the other they do not.
    next(n, n < 2 ? kLink : 0).prep_send_file(*to, source, kLarge, n * kLarge, bytes("beside"));
  }
  wait(6);
  for (std::uint64_t n = 0; n < 3; ++n) {
    EXPECT_EQ(res(n), kLarge);
    EXPECT_EQ(res(10 + n), kLarge);
    EXPECT_EQ(find(10 + n)->text, text.substr(n * kLarge, kLarge));
    EXPECT_EQ(find(10 + n)->immediate, "beside");
    EXPECT_NE(find(10 + n)->buffer, nullptr);
  }
  EXPECT_EQ(read_back(target), text);
}

TEST_P(TransferTest, TheEndOfTheFileIsShortAndBehindItNothingIsSent) {
  const File source = file("twelve bytes");
  post(2);
  next(1).prep_send_file(*to, source, 100, 7);
  wait(2);
  EXPECT_EQ(res(1), 5);
  EXPECT_EQ(find(kPosted)->text, "bytes");
  next(2, kLink).prep_send_file(*to, source, 100, 12);
  next(3).prep_nop();
  wait(2);
  EXPECT_EQ(res(2), 0);
  EXPECT_EQ(res(3), 0) << "the end is no failure";
  expect_posted(kPosted + 1);
}

TEST_P(TransferTest, AHoleIsZerosAndWritesBehindTheEndLeaveOne) {
  const File source = file("");
  ASSERT_EQ(::ftruncate(source, 4096), 0);
  const File target = file("");
  next(1).prep_recv_file(*from, there.room(0, 256), target, 100'000);
  next(2).prep_send_file(*to, source, 200, 1000);
  wait(2);
  EXPECT_EQ(find(1)->text, std::string(200, '\0'));
  struct stat about{};
  ASSERT_EQ(::fstat(target, &about), 0);
  EXPECT_EQ(about.st_size, 100'200);
}

TEST_P(TransferTest, WithoutAnOffsetTheFileMovesOnInOrder) {
  const std::string text = pattern(1000);
  const File source = file(text);
  const File target = file("");
  for (std::uint64_t n = 0; n < 10; ++n) {
    // Only so many posts may be stored at a time.
    if (n < 4) next(10 + n).prep_recv_file(*from, there.room(n * 256, 256), target);
    next(n).prep_send_file(*to, source, 100);
  }
  wait(8);
  for (std::uint64_t n = 4; n < 10; ++n) {
    next(10 + n).prep_recv_file(*from, there.room(n * 256, 256), target);
    wait(2);
  }
  EXPECT_EQ(read_back(target), text);
}

TEST_P(TransferTest, WhatIsReceivedAlreadyIsWrittenToo) {
  const File target = file("");
  const File closed = file("");
  next(1).prep_write_file(target, bytes("the second"), 10);
  next(2).prep_write_file(target, bytes("the first "), 0);
  next(3).prep_write_file(target, {}, 0);
  next(4).prep_write_file(-1, bytes("x"), 0);
  wait(4);
  EXPECT_EQ(res(1), 10);
  EXPECT_EQ(res(3), 0);
  EXPECT_EQ(res(4), -EBADF);
  EXPECT_EQ(read_back(target), "the first the second");
}

TEST_P(TransferTest, DirectFilesAreReadAndWrittenWhateverTheAddress) {
  const std::string text = pattern(kLarge);
  const File source = file(text, O_DIRECT);
  const File target = file("", O_DIRECT);
  std::size_t place = 0;
  for (const std::size_t odd : {0, 16, 100}) {
    place += 64 << 10U;
    next(1).prep_post_recv(*from, there.room(place + odd, 48 << 10U));
    next(2).prep_send_file(*to, source, kLarge, 0);
    wait(2);
    EXPECT_EQ(res(2), kLarge);
    EXPECT_EQ(find(1)->text, text);
    // The file ends within a sector.
    next(3).prep_post_recv(*from, there.room(place + odd, 48 << 10U));
    next(4).prep_send_file(*to, source, 48 << 10U, 4096);
    wait(2);
    EXPECT_EQ(res(4), kLarge - 4096);
    EXPECT_EQ(find(3)->text, text.substr(4096));
    next(5).prep_recv_file(*from, there.room(place + odd, 48 << 10U), target, 0);
    next(6).prep_send_file(*to, source, 32 << 10U, 0);
    wait(2);
    EXPECT_EQ(res(5), 32 << 10U);
  }
  next(7).prep_recv_file(*from, there.room(0, 256), target, 0);
  next(8).prep_send_file(*to, source, 100, 0);
  wait(2);
  EXPECT_EQ(res(7), -EINVAL) << "less than a sector cannot be written";
  EXPECT_EQ(find(7)->text, text.substr(0, 100)) << "and is not lost";
  post(1);
  next(9).prep_send_file(*to, source, 100, 7);
  wait(1);
  EXPECT_EQ(res(9), -EINVAL) << "the offset is the caller's to get right";
  expect_posted(kPosted);
}

TEST_P(TransferTest, ARegisteredFileOutlivesItsDescriptor) {
  File source = file("registered");
  const int number = ring->register_file(source).value();
  source.close();
  post(1);
  next(1, kFixedFile).prep_send_file(*to, number, 100, 0);
  wait(2);
  EXPECT_EQ(find(kPosted)->text, "registered");
  EXPECT_EQ(ring->register_file(-1).error().sys, EBADF);
  ASSERT_TRUE(ring->unregister_file(number));
  EXPECT_EQ(ring->unregister_file(number).error().code, Errc::invalid_value);
  post(1);
  for (const int wrong : {number, -1, 255, 256, 1 << 30}) {
    next(1, kFixedFile).prep_send_file(*to, wrong, 100, 0);
    wait(1);
    EXPECT_EQ(res(1), -EBADF) << wrong;
  }
  expect_posted(kPosted);
}

TEST_P(TransferTest, MemoryThatIsNotMappedHereIsSentToFromACopy) {
  Memory apart(1 << 17U, false);
  auto staged = Consumer::create(server.connection(), apart.map()).value();
  ring->prepare(*staged, 4).value();
  engine->connect(*staged).value();
  EXPECT_TRUE(staged->start());
  EXPECT_TRUE(run_until([&] { return client.consumers.size() == 2; }));
  EXPECT_TRUE(run_until([&] { return staged->state() == ContextState::kRunning; }));
  Source* const its = ring->register_source(*staged).value();
  Destination* const it = ring->register_destination(*producer, staged->id()).value();
  EXPECT_EQ(ring->register_memory(*it).error().code, Errc::not_supported);
  const std::string text = pattern(kLarge);
  const File source = file(text);
  const File target = file("");
  next(1).prep_recv_file(*its, apart.room(0, 48 << 10U), target, 0);
  next(2).prep_recv_file(*its, apart.room(48 << 10U, 100), target, kLarge);
  next(3).prep_send_file(*it, source, kLarge, 0);
  next(4).prep_send_file(*it, source, 101, 0);
  next(5).prep_send_file(*it, source, 100, 0);
  wait(5);
  EXPECT_EQ(res(1), kLarge);
  EXPECT_EQ(res(3), kLarge);
  EXPECT_EQ(res(4), -EINVAL);
  EXPECT_EQ(res(5), 100);
  EXPECT_EQ(read_back(target), text + text.substr(0, 100));
  next(6).prep_send_file(*it, source, 100, 0);
  expect_quiet();
  ASSERT_TRUE(staged->stop());
  wait(1);
  EXPECT_EQ(res(6), -ECONNRESET);
  ASSERT_TRUE(run_until_idle(*staged));
  EXPECT_TRUE(ring->unregister(*its));
  EXPECT_TRUE(ring->unregister(*it));
  EXPECT_TRUE(Consumer::destroy(staged));
}

// --- Pipes and sockets -------------------------------------------------------------------

TEST_P(TransferTest, APipeIsReadUntilThereIsEnoughOrItEnds) {
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

TEST_P(TransferTest, AFullPipeIsWaitedForAndAllOfTheMessagesGoInInOrder) {
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
    EXPECT_EQ(got, text + text + text + text);
    for (std::uint64_t n = 0; n < 4; ++n) EXPECT_EQ(res(n), kLarge);
  }
}

TEST_P(TransferTest, WhatASocketReceivesIsAMessage) {
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

TEST_P(TransferTest, MessagesGoToASocketInOrderAndWhole) {
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

// --- Failures ----------------------------------------------------------------------------

TEST_P(TransferTest, AFailureWithinALinkGivesThePostedBufferBackAndEndsTheChain) {
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

TEST_P(TransferTest, AMessageThatCannotBeWrittenIsNotLost) {
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

TEST_P(TransferTest, LengthsThatDoNotFitAreRefused) {
  const File source = file(pattern(1000));
  post(1);
  next(1).prep_send_file(*to, source, 257, 0);
  next(2).prep_send_file(*to, source, 0, 0);
  next(3).prep_send_file(*to, source, ~std::uint64_t{0}, 0);
  const std::string much(Consumer::kMaxImmediate + 1, 'x');
  next(4).prep_send_file(*to, source, 100, 0, bytes(much));
  wait(4);
  for (const std::uint64_t n : {1, 2, 3, 4}) EXPECT_EQ(res(n), -EINVAL) << n;
  expect_posted(kPosted);
}

TEST_P(TransferTest, MoreThanMayBeUnderWayWait) {
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

struct NoTransfers : TransferTest {
  NoTransfers() : TransferTest(0) {}
};
TEST_P(NoTransfers, AreRefused) {
  const File source = file("x");
  post(1);
  next(1).prep_send_file(*to, source, 1);
  next(2).prep_recv_file(*from, nullptr, source);
  next(3).prep_write_file(source, bytes("x"));
  wait(3);
  for (const std::uint64_t n : {1, 2, 3}) EXPECT_EQ(res(n), -EOPNOTSUPP);
  expect_posted(kPosted);
}

// --- Cancelled, lost, ended --------------------------------------------------------------

TEST_P(TransferTest, ACancelOfWhatWaitsInTheKernelGivesThePostedBufferBack) {
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

TEST_P(TransferTest, WhatACancelledReadHasTakenFromAPipeIsSent) {
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

TEST_P(TransferTest, ACancelledWriteLeavesItsMessage) {
  Pipe pipe;
  const std::string much(1 << 16U, 'x');
  pipe.write(much);  // It is full now.
  next(1).prep_recv_file(*from, there.room(0, 256), *pipe.to);
  next(2).prep_write_file(*pipe.to, bytes("behind it"));
  send("kept", 3);
  wait(1);
  expect_quiet();
  next(4).prep_cancel(2);
  next(5).prep_cancel(1);
  seen.clear();
  wait(4);
  EXPECT_EQ(res(4), 0);
  EXPECT_EQ(res(2), -ECANCELED);
  if (res(5) == 0) {
    EXPECT_EQ(res(1), -ECANCELED);
    EXPECT_EQ(find(1)->text, "kept");
  }
}

TEST_P(TransferTest, APeerThatIsLostInTheMiddleOfAFileEndsItWhenTheKernelIsDone) {
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

TEST_P(TransferTest, ARingThatEndsTakesItsTransfersWithIt) {
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
  // What it had posted is the consumer's.
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

// --- Refused by the kernel ---------------------------------------------------------------

// A ring in a process of its own, which may not pin memory, whoever starts this test.
struct WithoutPins : RingPair {
  void TestBody() override {
    // Some kernels count a ring's own memory, too; then there is none.
    const bool table = ring->features().registered_memory;
    const Errc refused = table ? Errc::no_memory : Errc::not_supported;
    EXPECT_EQ(ring->register_memory(*to).error().code, refused);
    EXPECT_EQ(ring->register_memory(there.map()).error().code, refused);
    TempDir dir;
    const auto path = dir / "file";
    std::ofstream(path) << pattern(256);
    const File source(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    next(1).prep_recv_file(*from, there.room(0, 256), source, 256);
    next(2).prep_send_file(*to, source, 256, 0);
    wait(2);
    EXPECT_EQ(res(1), 256);
    EXPECT_EQ(res(2), 256);
  }
};

// The limit does not bind who has this capability.
void drop_capability_to_lock() {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  std::array<__user_cap_data_struct, 2> data{};
  ASSERT_EQ(::syscall(SYS_capget, &header, data.data()), 0);
  data[0].effective &= ~(1U << CAP_IPC_LOCK);
  ASSERT_EQ(::syscall(SYS_capset, &header, data.data()), 0);
}

TEST(TransferFaults, WithoutMemoryToPinFilesAreReadAndWrittenWithoutRegistration) {
  for (const rlim_t bytes : {rlim_t{0}, rlim_t{256} << 10U}) {
    auto child = ChildProcess::run([bytes] {
      const rlimit limit{.rlim_cur = bytes, .rlim_max = bytes};
      EXPECT_EQ(::setrlimit(RLIMIT_MEMLOCK, &limit), 0);
      drop_capability_to_lock();
      WithoutPins().TestBody();
      return 0;
    });
    EXPECT_EQ(child.wait(), Exit::with(0)) << bytes;
  }
}

// Whoever closes what is not his closes the ring's descriptors, too.
void close_rings() {
  for (int fd = 3; fd < 1024; ++fd) {
    std::array<char, 64> target{};
    const std::string link = "/proc/self/fd/" + std::to_string(fd);
    if (::readlink(link.c_str(), target.data(), target.size() - 1) < 0) continue;
    if (std::string_view(target.data()).find("io_uring") != std::string_view::npos) ::close(fd);
  }
}

struct ClosedRing : RingPair {
  void TestBody() override {
    const std::string text = pattern(200);
    Pipe pipe;
    post(3);
    next(1).prep_send_file(*to, *pipe.from, 200);
    EXPECT_EQ(ring->submit_and_wait(1, 5ms).error().code, Errc::time_out);
    close_rings();
    const Error error = ring->submit_and_wait(1, 5ms).error();
    EXPECT_EQ(error.code, Errc::operating_system);
    EXPECT_EQ(error.sys, EBADF);
    // What was in the kernel is still, and what comes does without.
    next(2).prep_send_file(*to, *pipe.from, 200);
    pipe.write(text);
    pipe.write(text);
    const Deadline deadline;
    while (seen.size() < 4 && !deadline.passed()) {
      ring->submit().value();
      reap();
    }
    EXPECT_EQ(res(1), 200);
    EXPECT_EQ(res(2), 200);
    EXPECT_FALSE(ring->features().transfer_ring);
    EXPECT_EQ(find(kPosted)->text, text);
    EXPECT_EQ(find(kPosted + 1)->text, text);
    // The ring has to be told that it cannot sleep; it does all else.
    next(3).prep_send_file(*to, *pipe.from, 200);
    ring->submit().value();
    next(4).prep_cancel(3);
    ring->submit().value();
    while (find(3) == nullptr && !deadline.passed()) reap();
    EXPECT_EQ(res(3), -ECANCELED);
  }
};

TEST(TransferFaults, RingsThatAreClosedUnderItFailToSleepAndLoseNoTransfer) {
  auto child = ChildProcess::run([] {
    ClosedRing().TestBody();
    return 0;
  });
  EXPECT_EQ(child.wait(), Exit::with(0));
}

const auto kWays = testing::Values(Way{Place::kOwnRing, true}, Way{Place::kJoinedRing, true},
                                   Way{Place::kOwnRing, false}, Way{Place::kTimerDescriptor, true},
                                   Way{Place::kPoll, false});
std::string name_of_way(const testing::TestParamInfo<Way>& given) {
  return name_of(given.param.place) + (given.param.registered ? "Registered" : "");
}
INSTANTIATE_TEST_SUITE_P(In, TransferTest, kWays, name_of_way);
INSTANTIATE_TEST_SUITE_P(In, NoTransfers, kWays, name_of_way);

}  // namespace
}  // namespace comch::uring::test
