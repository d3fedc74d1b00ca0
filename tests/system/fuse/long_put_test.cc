// Messages of any length through `put` of a producer: parts, marks, and what ends them early.
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "attempt.h"
#include "fast_fixture.h"

namespace comch::test {
namespace {
namespace fs = std::filesystem;

using LongPutTest = FastTest;

std::string pattern(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t n = 0; n < size; ++n) text[n] = static_cast<char>((n * 2654435761U) >> 13U);
  return text;
}

// Hexadecimal, as frames show them.
constexpr const char* kMore = "636f6d636866732b";
constexpr const char* kLast = "636f6d636866732e";
constexpr const char* kCutShort = "636f6d6368667321";

// Opens `put`, writes the beginning of a message of which parts have to go at once, and waits
// until some have.
File begin_put(const fs::path& producer, std::size_t size) {
  File out(producer / "put", O_WRONLY | O_NONBLOCK);
  const std::string bytes = pattern(128UL * 1024);
  for (std::size_t done = 0; done < size; done += bytes.size()) {
    if (out.write(bytes) == EAGAIN) break;
  }
  return out;
}

TEST_F(LongPutTest, EverySizeAroundABufferArrivesAsOneMessage) {
  connect_ends({.buf_size = "100", .depth = "4"});
  for (const std::size_t size : {1U, 99U, 100U, 101U, 199U, 200U, 201U, 1000U, 5000U}) {
    const std::string message = pattern(size);
    const Attempt reader([&] { return File(consumer_ / "get").read_to_end(); });
    EXPECT_EQ(put(producer_, message), 0) << size;
    EXPECT_TRUE(reader.result() == got(message)) << size;
  }
  EXPECT_EQ(File(consumer_ / "recv", O_RDONLY | O_NONBLOCK).read(), failed(EAGAIN));
}

TEST_F(LongPutTest, OneThatFitsIsOneMessageWithoutAMark) {
  connect_ends({.buf_size = "2097152", .depth = "2"});
  const std::string message = pattern(2097152);
  const Attempt writer([&] { return failed(put(producer_, message)); });
  std::string frame;
  const File framed(consumer_ / "recv.framed");
  const std::string header = "2097152 " + value(producer_ / "id") + " -\n";
  while (frame.size() < header.size() + message.size()) {
    const Got part = framed.wait_and_read();
    ASSERT_EQ(part.error, 0);
    frame += part.bytes;
  }
  EXPECT_EQ(writer.result(), failed(0));
  EXPECT_TRUE(frame == header + message);
}

TEST_F(LongPutTest, FramesShowThePartsAndTheirMarks) {
  connect_ends({.buf_size = "4", .depth = "3"});
  ASSERT_EQ(write_to(producer_ / "imm", "0a"), 0);
  ASSERT_EQ(put(producer_, "0123456789"), 0);
  const std::string id = value(producer_ / "id");
  EXPECT_EQ(File(consumer_ / "recv.framed").read(),
            got("4 " + id + " " + kMore + "0a\n0123" + "4 " + id + " " + kMore + "\n4567" + "2 " +
                id + " " + kLast + "\n89"));
}

TEST_F(LongPutTest, RecvGivesThePartsInTurnAndThenTheNextMessage) {
  connect_ends({.buf_size = "4", .depth = "8"});
  ASSERT_EQ(put(producer_, "0123456789"), 0);
  ASSERT_EQ(send(producer_, "next"), 0);
  const File recv(consumer_ / "recv");
  for (const char* part : {"0123", "4567", "89", "next"}) EXPECT_EQ(recv.read(), got(part));
}

TEST_F(LongPutTest, OtherReadersGetOtherMessages) {
  connect_ends({.buf_size = "4", .depth = "8"});
  ASSERT_EQ(put(producer_, "0123456789"), 0);
  ASSERT_EQ(send(producer_, "next"), 0);
  const File first(consumer_ / "get"), second(consumer_ / "get");
  EXPECT_EQ(first.read(), got("0123"));
  EXPECT_EQ(second.read(), got("next"));
  EXPECT_EQ(second.read(), end_of_file());
  EXPECT_EQ(first.read_to_end(), got("456789"));
}

TEST_F(LongPutTest, ConsumerThatTakesNoMarkTakesNoLongMessage) {
  connect_ends({.buf_size = "4", .imm_data_len = "7"});
  ASSERT_EQ(put(producer_, "0123456789"), 0);  // Its close cannot say it.
  EXPECT_EQ(value(producer_ / "error"),
            "EINVAL: invalid_value, the consumer takes less immediate data");
  EXPECT_EQ(put(producer_, "0123"), 0);
  EXPECT_EQ(get(consumer_), got("0123"));
}

TEST_F(LongPutTest, ReaderThatClosesEarlyDropsTheRestAndNothingElse) {
  connect_ends({.buf_size = "4", .depth = "2"});
  ASSERT_EQ(put(producer_, "0123456789"), 0);  // The last part waits for room.
  {
    const File reader(consumer_ / "get");
    EXPECT_EQ(reader.read(), got("0123"));
  }
  EXPECT_TRUE(eventually([&] { return count(producer_, "in_flight") == 0; }));
  ASSERT_EQ(send(producer_, "next"), 0);
  EXPECT_EQ(get(consumer_), got("next"));
  EXPECT_EQ(count(consumer_, "messages_dropped"), 1U);
}

TEST_F(LongPutTest, TwoAtATimeDoNotMixAndOneReaderIsEnough) {
  const fs::path other = client_end_ / "producers/p1";
  ASSERT_EQ(make_directory(other), 0);
  connect_ends({.buf_size = "65536", .depth = "2"});
  ASSERT_EQ(aim(other, consumer_), 0);
  const std::string ones(8UL << 20U, '1'), twos(8UL << 20U, '2');
  const Attempt first([&] { return failed(put(producer_, ones)); });
  const Attempt second([&] { return failed(put(other, twos)); });
  std::vector<std::string> messages;
  for (int n = 0; n < 2; ++n) {
    const Got message = File(consumer_ / "get").read_to_end();
    EXPECT_EQ(message.error, 0);
    messages.push_back(message.bytes);
  }
  std::ranges::sort(messages);
  EXPECT_TRUE(messages[0] == ones && messages[1] == twos);
  EXPECT_EQ(first.result(), failed(0));
  EXPECT_EQ(second.result(), failed(0));
}

TEST_F(LongPutTest, ShortMessagesOfOthersWaitUntilItIsThrough) {
  const fs::path other = client_end_ / "producers/p1";
  ASSERT_EQ(make_directory(other), 0);
  connect_ends({.buf_size = "4", .depth = "2"});
  ASSERT_EQ(aim(other, consumer_), 0);
  ASSERT_EQ(put(producer_, "0123456789"), 0);
  EXPECT_EQ(write_to(other / "send", "x", O_NONBLOCK), EAGAIN);
  const Attempt writer([&] { return failed(send(other, "x")); });
  ASSERT_TRUE(writer.is_held(SYS_write));
  EXPECT_EQ(File(consumer_ / "get").read_to_end(), got("0123456789"));
  EXPECT_EQ(writer.result(), failed(0));
  EXPECT_EQ(get(consumer_), got("x"));
}

TEST_F(LongPutTest, NothingElseOfItsProducerGoesInBetweenWhereverThereIsRoom) {
  connect_ends();
  File out = begin_put(producer_, 2UL << 20U);
  EXPECT_EQ(write_to(producer_ / "send", "x", O_NONBLOCK), EAGAIN);
  EXPECT_EQ(write_to(producer_ / "send.framed", "1\nx", O_NONBLOCK), EAGAIN);
  EXPECT_EQ(File(producer_ / "send", O_WRONLY).poll_now(POLLOUT), 0);
  EXPECT_EQ(put(producer_, "y"), 0);  // It waits behind its close.
  out.close();
  EXPECT_EQ(File(consumer_ / "get").read_to_end().bytes.size(), 2UL << 20U);
  EXPECT_EQ(get(consumer_), got("y"));
  EXPECT_EQ(send(producer_, "z"), 0);
  EXPECT_EQ(get(consumer_), got("z"));
}

TEST_F(LongPutTest, TwoOfOneProducerDoNotMix) {
  connect_ends({.buf_size = "65536", .depth = "2"});
  const std::string ones(8UL << 20U, '1'), twos(8UL << 20U, '2');
  const Attempt first([&] { return failed(put(producer_, ones)); });
  const Attempt second([&] { return failed(put(producer_, twos)); });
  std::vector<std::string> messages;
  for (int n = 0; n < 2; ++n) messages.push_back(File(consumer_ / "get").read_to_end().bytes);
  std::ranges::sort(messages);
  EXPECT_TRUE(messages[0] == ones && messages[1] == twos);
  EXPECT_EQ(first.result(), failed(0));
  EXPECT_EQ(second.result(), failed(0));
}

TEST_F(LongPutTest, OneAfterTheOtherArriveInTheirOrder) {
  connect_ends({.buf_size = "4096", .depth = "16"});
  constexpr int kCount = 8;
  const auto message = [](int n) { return std::string(3000001, static_cast<char>('a' + n)); };
  const Attempt writer([&] {
    int error = 0;
    for (int n = 0; error == 0 && n < kCount; ++n) error = put(producer_, message(n));
    return failed(error);
  });
  for (int n = 0; n < kCount; ++n) {
    const Got arrived = File(consumer_ / "get").read_to_end();
    EXPECT_TRUE(arrived == got(message(n))) << n << ": " << arrived.bytes.size() << " bytes";
  }
  EXPECT_EQ(writer.result(), failed(0));
}

TEST_F(LongPutTest, ProducerThatIsRemovedInTheMiddleEndsTheReaderWithEconnreset) {
  connect_ends({.buf_size = "65536", .depth = "4"});
  const File out = begin_put(producer_, 4UL << 20U);
  const Attempt reader([&] { return File(consumer_ / "get").read_to_end(); });
  ASSERT_EQ(remove_directory(producer_), 0);
  const Got message = reader.result();
  EXPECT_EQ(message.error, ECONNRESET);
  EXPECT_GE(message.bytes.size(), 65536U);
  EXPECT_EQ(out.write("more"), ENODEV);
}

TEST_F(LongPutTest, WriteThatIsGivenUpEndsTheReaderWithEconnreset) {
  connect_ends({.buf_size = "65536", .depth = "4"});
  {
    const File out = begin_put(producer_, 4UL << 20U);
  }
  EXPECT_EQ(value(producer_ / "error"), "EINTR: a put was closed before it was whole");
  const File reader(consumer_ / "get");
  EXPECT_EQ(reader.read_to_end().error, ECONNRESET);
  EXPECT_EQ(reader.read(), end_of_file());
  ASSERT_EQ(send(producer_, "next"), 0);
  EXPECT_EQ(get(consumer_), got("next"));
}

TEST_F(LongPutTest, CancelDoesNotKeepFromTheReaderThatOneWasCutShort) {
  connect_ends({.buf_size = "65536", .depth = "4"});
  {
    const File out = begin_put(producer_, 4UL << 20U);
  }
  ASSERT_EQ(write_to(producer_ / "ctl", "cancel"), 0);
  EXPECT_EQ(File(consumer_ / "get").read_to_end().error, ECONNRESET);
}

TEST_F(LongPutTest, FramesShowThatOneWasCutShort) {
  connect_ends({.buf_size = "1048576", .depth = "1"});
  {
    const File out = begin_put(producer_, 4UL << 20U);
  }
  const std::string id = value(producer_ / "id");
  const File framed(consumer_ / "recv.framed");
  std::string frame;
  const std::string header = "1048576 " + id + " " + kMore + "\n";
  while (frame.size() < header.size() + 1048576) frame += framed.wait_and_read().bytes;
  EXPECT_TRUE(frame.starts_with(header)) << frame.substr(0, 64);
  EXPECT_EQ(framed.wait_and_read(), got("0 " + id + " " + kCutShort + "\n"));
}

TEST_F(LongPutTest, LostConnectionEndsBothInTheMiddle) {
  connect_ends({.buf_size = "65536", .depth = "4"});
  const File out = begin_put(producer_, 4UL << 20U);
  const File reader(consumer_ / "get");
  EXPECT_EQ(reader.read(10), got(pattern(10)));
  ASSERT_EQ(write_to(client_ / "ctl", "stop force"), 0);
  EXPECT_EQ(reader.read_to_end().error, ECONNRESET);
  EXPECT_EQ(reader.read(), end_of_file());
  EXPECT_NE(out.write("more"), 0);
}

TEST_F(LongPutTest, ConsumerThatStopsInTheMiddleEndsTheWriter) {
  connect_ends({.buf_size = "65536", .depth = "4"});
  const File out = begin_put(producer_, 4UL << 20U);
  const Attempt writer([&] { return failed(send(producer_, "waits for the put")); });
  ASSERT_TRUE(writer.is_held(SYS_write));
  ASSERT_EQ(write_to(consumer_ / "enable", "0"), 0);
  EXPECT_EQ(writer.result(), failed(EPIPE));
  EXPECT_EQ(out.write("more"), EPIPE);
  EXPECT_EQ(File(consumer_ / "get").read_to_end().error, ECONNRESET);
}

TEST_F(LongPutTest, TargetStaysWhileOneIsUnderWay) {
  connect_ends({.buf_size = "65536", .depth = "4"});
  const fs::path other = server_end_ / "consumers/c1";
  ASSERT_EQ(make_directory(other), 0);
  ASSERT_EQ(write_to(other / "enable", "1"), 0);
  const File out = begin_put(producer_, 4UL << 20U);
  EXPECT_EQ(aim(producer_, other), EBUSY);
}

TEST_F(LongPutTest, PollTellsThatAPutHasRoomAgain) {
  connect_ends({.buf_size = "65536", .depth = "2"});
  const File out = begin_put(producer_, 64UL << 20U);
  EXPECT_EQ(out.poll_now(POLLOUT), 0);
  const File reader(consumer_ / "get");
  const Attempt pump([&] {
    std::size_t size = 0;
    while (size < (2UL << 20U)) {
      const Got part = reader.read();
      if (part.error != 0 || part.bytes.empty()) return part;
      size += part.bytes.size();
    }
    return got("");
  });
  EXPECT_EQ(out.poll(POLLOUT), POLLOUT);
}

// A reader that was told of the first part while it waited for any message.
struct PolledLongPutTest : LongPutTest {
  void begin() {
    connect_ends();
    reader_ = File(consumer_ / "get", O_RDONLY | O_NONBLOCK);
    epoll_event wanted{.events = EPOLLIN | EPOLLET, .data = {}};
    ASSERT_EQ(errno_of(::epoll_ctl(epoll_.fd(), EPOLL_CTL_ADD, reader_.fd(), &wanted)), 0);
    ASSERT_FALSE(is_woken(std::chrono::milliseconds(0)));
    out_ = begin_put(producer_, kPart + 1);
    ASSERT_TRUE(is_woken(patience()));
  }
  bool is_woken(std::chrono::milliseconds time) {
    epoll_event event{};
    return ::epoll_wait(epoll_.fd(), &event, 1, static_cast<int>(time.count())) == 1;
  }
  std::size_t read_all() {
    std::size_t size = 0;
    for (Got part = reader_.read(); part.error == 0; part = reader_.read())
      size += part.bytes.size();
    return size;
  }

  static constexpr std::size_t kPart = 1UL << 20U;
  File epoll_ = File::adopt(::epoll_create1(EPOLL_CLOEXEC)), reader_ = File::adopt(-1),
       out_ = File::adopt(-1);
};

TEST_F(PolledLongPutTest, EdgeTriggeredReaderIsWokenByThePartsThatCome) {
  ASSERT_NO_FATAL_FAILURE(begin());
  EXPECT_EQ(read_all(), kPart);
  while (is_woken(std::chrono::milliseconds(100))) EXPECT_EQ(read_all(), 0U);
  for (std::size_t done = 0; done < kPart; done += 65536)
    ASSERT_EQ(out_.write(std::string(65536, 'x')), 0);
  EXPECT_TRUE(is_woken(patience()));
  EXPECT_NE(read_all(), 0U);
}

TEST_F(PolledLongPutTest, ReaderMayCloseInTheMiddle) {
  ASSERT_NO_FATAL_FAILURE(begin());
  EXPECT_EQ(reader_.read(100).bytes.size(), 100U);
  reader_.close();
  out_.close();
  ASSERT_EQ(send(producer_, "next"), 0);
  EXPECT_EQ(get(consumer_), got("next"));
}

TEST_F(LongPutTest, PollTellsThatAPutHasRoomAgainAlthoughOthersWait) {
  connect_ends({.buf_size = "65536", .depth = "2"});
  const File out = begin_put(producer_, 64UL << 20U);
  const Attempt other([&] { return failed(send(producer_, "x")); });
  ASSERT_TRUE(other.is_held(SYS_write));
  const Attempt poller([&] { return failed(out.poll(POLLOUT)); });
  ASSERT_TRUE(poller.is_held(SYS_poll));
  const File reader(consumer_ / "get");
  EXPECT_EQ(reader.read(), got(pattern(65536)));
  EXPECT_EQ(poller.result(), failed(POLLOUT));
}

TEST_F(LongPutTest, ConnectionIsRemovedInTheMiddleAlthoughNobodyReads) {
  connect_ends({.buf_size = "65536", .depth = "4"});
  const File out = begin_put(producer_, 4UL << 20U);
  ASSERT_EQ(remove_directory(producer_), 0);
  ASSERT_EQ(remove_directory(client_), 0);
  EXPECT_TRUE(eventually([&] { return value(server_end_ / "state") == "idle"; }));
  EXPECT_EQ(File(consumer_ / "get").read_to_end().error, ECONNRESET);
}

TEST_F(LongPutTest, DrainOrderWaitsUntilItIsThrough) {
  connect_ends({.buf_size = "4", .depth = "2"});
  ASSERT_EQ(put(producer_, "0123456789"), 0);
  const Attempt drain([&] { return failed(write_to(producer_ / "ctl", "drain")); });
  ASSERT_TRUE(drain.is_held(SYS_write));
  EXPECT_EQ(File(consumer_ / "get").read_to_end(), got("0123456789"));
  EXPECT_EQ(drain.result(), failed(0));
}

}  // namespace
}  // namespace comch::test
