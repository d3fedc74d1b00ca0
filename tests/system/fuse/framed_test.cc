// Many messages per call: "LEN\n" and LEN bytes, in both directions.
#include <fcntl.h>
#include <unistd.h>

#include "tree_fixture.h"

namespace comch::test {
namespace {
namespace fs = std::filesystem;

using FramedTest = PairTest;

std::string frame(std::string_view message) {
  return std::to_string(message.size()) + "\n" + std::string(message);
}

// Writes all of `text` into one open file, as `cat` would; what the last write said.
int pour(const File& file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t size = ::write(file.fd(), text.data(), text.size());
    if (size < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(size));
  }
  return 0;
}

TEST_F(FramedTest, ReadReturnsAsManyWholeMessagesAsFit) {
  for (const char* message : {"a", "bb", "ccc"}) ASSERT_EQ(send(client_end_, message), 0);
  const File file(server_end_ / "recv.framed");
  // The three may not be there at the first look; together they are these bytes.
  std::string all;
  while (all.size() < 12) {
    const Got part = file.wait_and_read();
    ASSERT_EQ(part.error, 0) << part;
    ASSERT_FALSE(part.bytes.empty());
    all += part.bytes;
  }
  EXPECT_EQ(all, "1\na2\nbb3\nccc");
}

TEST_F(FramedTest, MessagesThatWaitComeInOneRead) {
  std::string expected;
  for (int i = 0; i < 32; ++i) {
    ASSERT_EQ(send(client_end_, "message " + std::to_string(i)), 0);
    expected += frame("message " + std::to_string(i));
  }
  // The last to arrive ends the wait: from then on all are in the queue.
  const File file(server_end_ / "recv.framed");
  std::string all;
  int reads = 0;
  for (; all.size() < expected.size(); ++reads) all += file.wait_and_read().bytes;
  EXPECT_EQ(all, expected);
  EXPECT_LT(reads, 32);
}

TEST_F(FramedTest, MessageThatDoesNotFitWholeWaitsForTheNextRead) {
  ASSERT_EQ(send(client_end_, "aaaa"), 0);
  ASSERT_EQ(send(client_end_, "bbbb"), 0);
  const File file(server_end_ / "recv.framed");
  EXPECT_EQ(file.read(9), got("4\naaaa"));
  EXPECT_EQ(file.read(9), got("4\nbbbb"));
}

TEST_F(FramedTest, MessageLongerThanTheReadComesInParts) {
  ASSERT_EQ(send(client_end_, "0123456789"), 0);
  ASSERT_EQ(send(client_end_, "x"), 0);
  const File file(server_end_ / "recv.framed");
  EXPECT_EQ(file.read(5), got("10\n01"));
  EXPECT_EQ(file.read(5), got("23456"));
  EXPECT_EQ(file.read(3), got("789"));
  EXPECT_EQ(file.read(), got("1\nx"));
}

TEST_F(FramedTest, EmptyMessagesPassBothWays) {
  ASSERT_EQ(write_to(client_end_ / "send.framed", "0\n1\na0\n"), 0);
  const File file(server_end_ / "recv.framed");
  std::string all;
  while (all.size() < 7) all += file.wait_and_read().bytes;
  EXPECT_EQ(all, "0\n1\na0\n");
}

TEST_F(FramedTest, OneWriteSendsManyMessages) {
  ASSERT_EQ(write_to(client_end_ / "send.framed", frame("one") + frame("") + frame("three")), 0);
  EXPECT_EQ(get(server_end_), got("one"));
  EXPECT_EQ(get(server_end_), end_of_file());
  EXPECT_EQ(get(server_end_), got("three"));
}

TEST_F(FramedTest, FrameMayHoldNewlinesAndDigits) {
  ASSERT_EQ(write_to(client_end_ / "send.framed", frame("1\n2\n3\n")), 0);
  EXPECT_EQ(get(server_end_), got("1\n2\n3\n"));
}

TEST_F(FramedTest, FramesMayBeSplitBetweenWrites) {
  const File file(client_end_ / "send.framed", O_WRONLY);
  const std::string frames = frame("hello") + frame("0123456789") + frame("end");
  for (const char byte : frames) ASSERT_EQ(pour(file, {&byte, 1}), 0);
  EXPECT_EQ(get(server_end_), got("hello"));
  EXPECT_EQ(get(server_end_), got("0123456789"));
  EXPECT_EQ(get(server_end_), got("end"));
}

TEST_F(FramedTest, MalformedFrameIsEINVALAndWhatWasBeforeItIsSent) {
  for (const char* nonsense : {"x\n", "-1\n", "\n", " 3\nabc", "3 \nabc", "0x3\nabc", "1e1\n",
                               "99999999999999999999999\n"}) {
    const File file(client_end_ / "send.framed", O_WRONLY);
    EXPECT_EQ(pour(file, frame("good") + nonsense), EINVAL) << nonsense;
    EXPECT_EQ(get(server_end_), got("good")) << nonsense;
  }
  EXPECT_EQ(write_to(client_end_ / "send.framed", frame("next opener")), 0);
  EXPECT_EQ(get(server_end_), got("next opener"));
}

TEST_F(FramedTest, FrameAboveTheMaximumIsEMSGSIZEAndWhatWasBeforeItIsSent) {
  const File file(client_end_ / "send.framed", O_WRONLY);
  EXPECT_EQ(pour(file, frame("good") + frame(std::string(4081, 'x'))), EMSGSIZE);
  EXPECT_EQ(get(server_end_), got("good"));
  EXPECT_EQ(look(server_end_), failed(EAGAIN));
}

TEST_F(FramedTest, FullQueueTakesWholeFramesAndSaysHowMany) {
  const File file(client_end_ / "send.framed", O_WRONLY | O_NONBLOCK);
  std::string frames;
  for (int i = 0; i < 20000; ++i) frames += frame("12345678");
  std::string_view rest = frames;
  std::size_t taken = 0;
  for (ssize_t size = 0; size >= 0 && !rest.empty();) {
    size = ::write(file.fd(), rest.data(), std::min<std::size_t>(rest.size(), 50000));
    ASSERT_TRUE(size > 0 || errno == EAGAIN) << errno;
    if (size > 0) taken += static_cast<std::size_t>(size);
    rest = std::string_view(frames).substr(taken);
  }
  ASSERT_FALSE(rest.empty()) << "nothing bounds the queue";
  const File recv(server_end_ / "recv.framed", O_RDONLY | O_NONBLOCK);
  std::string all;
  while (all.size() + 10 <= taken) {
    const Got part = recv.wait_and_read();
    ASSERT_EQ(part.error, 0) << part << " after " << all.size() << " of " << taken;
    all += part.bytes;
  }
  EXPECT_TRUE(all == frames.substr(0, all.size()));
  EXPECT_EQ(look(server_end_), failed(EAGAIN));
}

TEST_F(FramedTest, ServersOwnRecvNamesTheConnection) {
  ASSERT_EQ(connect("you", "echo"), 0);
  ASSERT_EQ(send(client_end_, "from me"), 0);
  const File all(server_ / "recv");
  EXPECT_EQ(all.read(), got("conn0 7\nfrom me"));
  ASSERT_EQ(send(at("clients/you/conn"), "from you\n"), 0);
  EXPECT_EQ(all.read(), got("conn1 9\nfrom you\n"));
}

TEST_F(FramedTest, ServersOwnRecvReadsOnAcrossConnectionsThatEnd) {
  const File all(server_ / "recv", O_RDONLY | O_NONBLOCK);
  ASSERT_EQ(send(client_end_, "bye"), 0);
  ASSERT_EQ(remove_directory(client_), 0);
  EXPECT_EQ(all.wait_and_read(), got("conn0 3\nbye"));
  EXPECT_TRUE(eventually([&] { return connections(server_).empty(); }));
  EXPECT_EQ(all.read(), failed(EAGAIN)) << "no end: another client may come";
  ASSERT_EQ(connect("you", "echo"), 0);
  ASSERT_EQ(send(at("clients/you/conn"), "hi"), 0);
  EXPECT_EQ(all.wait_and_read(), got("conn1 2\nhi"));
}

}  // namespace
}  // namespace comch::test
