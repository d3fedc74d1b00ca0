// Messages through recv and get: what one read is, and how a connection's end is read.
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <tuple>
#include <vector>

#include "attempt.h"
#include "library_peer.h"
#include "shell.h"
#include "tree_fixture.h"

namespace comch::test {
namespace {
namespace fs = std::filesystem;

using RecvTest = PairTest;
using GetTest = PairTest;
using EndTest = PairTest;

std::uint64_t number(const fs::path& file) { return std::stoull(value(file)); }

TEST_F(RecvTest, OneReadNeverReturnsTwoMessages) {
  for (const char* message : {"a", "bb", "ccc"}) ASSERT_EQ(send(client_end_, message), 0);
  const File recv(server_end_ / "recv");
  EXPECT_EQ(recv.read(), got("a"));
  EXPECT_EQ(recv.read(), got("bb"));
  EXPECT_EQ(recv.read(4 << 20), got("ccc"));
}

TEST_F(RecvTest, RestStaysWithTheOpenFileAndComesFirst) {
  ASSERT_EQ(send(client_end_, "0123456789"), 0);
  ASSERT_EQ(send(client_end_, "next"), 0);
  const File recv(server_end_ / "recv"), other(server_end_ / "recv");
  EXPECT_EQ(recv.read(4), got("0123"));
  EXPECT_EQ(other.read(), got("next"));
  EXPECT_EQ(recv.read(), got("456789"));
}

TEST_F(RecvTest, SingleBytesCanBeRead) {
  ASSERT_EQ(send(client_end_, "abc"), 0);
  ASSERT_EQ(send(client_end_, "d"), 0);
  const File recv(server_end_ / "recv");
  std::string all;
  while (all.size() < 4) {
    const Got byte = recv.read(1);
    ASSERT_EQ(byte.bytes.size(), 1U) << byte;
    all += byte.bytes;
  }
  EXPECT_EQ(all, "abcd");
}

TEST_F(RecvTest, ShellReadsLineByLine) {
  ASSERT_EQ(send(client_end_, "first line\nsecond line\n"), 0);
  EXPECT_EQ(shell(root(),
                  "exec 3<servers/echo/conn0/recv; read a <&3; read b <&3; "
                  "echo \"$b, $a\""),
            said("second line, first line\n"));
}

TEST_F(RecvTest, ScatteredReadReturnsOneMessage) {
  ASSERT_EQ(send(client_end_, "abcde"), 0);
  ASSERT_EQ(send(client_end_, "f"), 0);
  std::array<char, 3> front{};
  std::array<char, 8> back{};
  const std::array<iovec, 2> pieces{iovec{.iov_base = front.data(), .iov_len = front.size()},
                                    iovec{.iov_base = back.data(), .iov_len = back.size()}};
  const File recv(server_end_ / "recv");
  EXPECT_EQ(::readv(recv.fd(), pieces.data(), 2), 5);
  EXPECT_EQ(std::string_view(front.data(), 3), "abc");
  EXPECT_EQ(std::string_view(back.data(), 2), "de");
}

TEST_F(RecvTest, CloseDropsTheRestAndCountsIt) {
  ASSERT_EQ(send(client_end_, "dropped"), 0);
  ASSERT_EQ(send(client_end_, "kept"), 0);
  const std::string before = value(server_end_ / "stats.json");
  EXPECT_EQ(File(server_end_ / "recv").read(1), got("d"));
  EXPECT_EQ(get(server_end_), got("kept"));
  std::uint64_t counted = 0;
  for (const auto& entry : fs::directory_iterator(server_end_ / "stats"))
    if (entry.path().filename().string().find("drop") != std::string::npos)
      counted += number(entry.path());
  EXPECT_GT(counted, 0U) << value(server_end_ / "stats.json") << "\nbefore " << before;
}

TEST_F(RecvTest, EachMessageGoesToOneReaderFirstWaiterFirst) {
  std::vector<Attempt> readers;
  for (int i = 0; i < 4; ++i) {
    readers.emplace_back([&] { return File(server_end_ / "recv").read(); });
    ASSERT_TRUE(readers.back().is_held(SYS_read));
  }
  for (const char* message : {"0", "1", "2", "3"}) ASSERT_EQ(send(client_end_, message), 0);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(readers[i].result(), got(std::to_string(i)));
}

TEST_F(RecvTest, AllReadingFilesShareOneQueueFirstWaiterFirst) {
  const std::vector<fs::path> files = {server_end_ / "get", server_ / "recv",
                                       server_end_ / "recv.framed", server_end_ / "recv"};
  std::vector<Attempt> readers;
  for (const fs::path& file : files) {
    readers.emplace_back([&] { return File(file).read(); });
    ASSERT_TRUE(readers.back().is_held(SYS_read)) << file;
  }
  for (const char* message : {"a", "b", "c", "d"}) ASSERT_EQ(send(client_end_, message), 0);
  EXPECT_EQ(readers[0].result(), got("a"));
  EXPECT_EQ(readers[1].result(), got("conn0 1\nb"));
  EXPECT_EQ(readers[2].result(), got("1\nc"));
  EXPECT_EQ(readers[3].result(), got("d"));
}

TEST_F(RecvTest, ThousandMessagesArriveInOrder) {
  const Attempt writer([&] {
    const File file(client_end_ / "send", O_WRONLY);
    for (int i = 0; i < 1000; ++i)
      if (const int error = file.write(std::to_string(i)); error != 0) return failed(error);
    return end_of_file();
  });
  const File recv(server_end_ / "recv");
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(recv.read(), got(std::to_string(i)));
  EXPECT_EQ(writer.result(), end_of_file());
}

TEST_F(RecvTest, EmptyMessageIsSkippedAndCounted) {
  ASSERT_EQ(write_to(client_end_ / "send.framed", "0\n0\n3\nend"), 0);
  EXPECT_EQ(File(server_end_ / "recv").read(), got("end"));
  EXPECT_EQ(number(server_end_ / "stats/rx_msgs"), 3U);
}

TEST_F(GetTest, OneOpenIsOneMessageThenEOF) {
  ASSERT_EQ(send(client_end_, "first"), 0);
  ASSERT_EQ(send(client_end_, "second"), 0);
  const File file(server_end_ / "get");
  EXPECT_EQ(file.read(2), got("fi"));
  EXPECT_EQ(file.read(), got("rst"));
  EXPECT_EQ(file.read(), end_of_file());
  EXPECT_EQ(file.read(), end_of_file());
  EXPECT_EQ(get(server_end_), got("second"));
}

TEST_F(GetTest, FirstReadClaimsNotTheOpen) {
  const File early(server_end_ / "get");
  ASSERT_EQ(send(client_end_, "first"), 0);
  EXPECT_EQ(get(server_end_), got("first"));
  ASSERT_EQ(send(client_end_, "second"), 0);
  EXPECT_EQ(early.read_to_end(), got("second"));
}

TEST_F(GetTest, ClosingEarlyDropsTheRestOfThatMessageOnly) {
  ASSERT_EQ(send(client_end_, "abandoned"), 0);
  ASSERT_EQ(send(client_end_, "whole"), 0);
  EXPECT_EQ(File(server_end_ / "get").read(1), got("a"));
  EXPECT_EQ(get(server_end_), got("whole"));
}

TEST_F(GetTest, EmptyMessageIsAnEmptyFile) {
  ASSERT_EQ(write_to(client_end_ / "send.framed", "0\n3\nend"), 0);
  EXPECT_EQ(get(server_end_), end_of_file());
  EXPECT_EQ(get(server_end_), got("end"));
}

TEST_F(EndTest, AfterDisconnectAndDrainEOFForEver) {
  ASSERT_EQ(send(client_end_, "last"), 0);
  const File recv(server_end_ / "recv"), framed(server_end_ / "recv.framed");
  ASSERT_EQ(remove_directory(client_), 0);
  EXPECT_EQ(recv.read(), got("last"));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(recv.wait_and_read(), end_of_file());
    EXPECT_EQ(framed.wait_and_read(), end_of_file());
    EXPECT_EQ(get(server_end_), end_of_file());
  }
}

TEST_F(EndTest, HeldReaderGetsEOFWhenThePeerDisconnects) {
  const Attempt reader([&] { return File(server_end_ / "recv").read(); });
  ASSERT_TRUE(reader.is_held(SYS_read));
  ASSERT_EQ(remove_directory(client_), 0);
  EXPECT_EQ(reader.result(), end_of_file());
}

TEST_F(EndTest, AfterAKillECONNRESETOnceBehindWhatItSentThenEOF) {
  LibraryClient peer("echo", {.sends = {"one", "two"}});
  ASSERT_TRUE(peer.is_ready() && has_connections(server_, 2));
  const fs::path end = connections(server_).back();
  const File recv(end / "recv");
  peer.process().kill(SIGKILL);
  EXPECT_EQ(recv.wait_and_read(), got("one"));
  EXPECT_EQ(recv.wait_and_read(), got("two"));
  EXPECT_EQ(recv.wait_and_read(), failed(ECONNRESET));
  EXPECT_EQ(recv.wait_and_read(), end_of_file());
  EXPECT_EQ(recv.wait_and_read(), end_of_file());
}

TEST_F(EndTest, HeldReaderGetsECONNRESETWhenThePeerIsKilled) {
  LibraryClient peer("echo");
  ASSERT_TRUE(peer.is_ready() && has_connections(server_, 2));
  const fs::path end = connections(server_).back();
  const Attempt reader([&] { return File(end / "recv").read(); });
  ASSERT_TRUE(reader.is_held(SYS_read));
  peer.process().kill(SIGKILL);
  EXPECT_EQ(reader.result(), failed(ECONNRESET));
}

TEST_F(EndTest, WriteToAPeerThatIsGoneIsEPIPE) {
  LibraryClient peer("echo");
  ASSERT_TRUE(peer.is_ready() && has_connections(server_, 2));
  const File file(connections(server_).back() / "send", O_WRONLY);
  peer.process().kill(SIGKILL);
  EXPECT_TRUE(eventually([&] { return file.write("hello") == EPIPE; }));
  EXPECT_EQ(file.write("hello"), EPIPE) << "and stays so";
}

TEST_F(RecvTest, PageFaultOfAMappingTakesNoMessage) {
  const File recv(server_end_ / "recv");
  const auto look = [&] {
    const char* page =
        static_cast<const char*>(::mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, recv.fd(), 0));
    return page == MAP_FAILED ? 1 : *static_cast<const volatile char*>(page);
  };
  ASSERT_EQ(send(client_end_, "message"), 0);
  ChildProcess mapper = ChildProcess::run([&] {
    std::ignore = std::signal(SIGBUS, SIG_DFL);  // A sanitizer's, perhaps.
    return static_cast<int>(look());
  });
  EXPECT_EQ(mapper.wait(), Exit::by_signal(SIGBUS));
  EXPECT_EQ(recv.read(), got("message"));
}

// A pipe, into which splice(2) moves what a stream gives.
struct SpliceTest : RecvTest {
  void SetUp() override {
    RecvTest::SetUp();
    int ends[2] = {-1, -1};
    ASSERT_EQ(::pipe(ends), 0);
    out_ = File::adopt(ends[0]);
    in_ = File::adopt(ends[1]);
  }
  Got move(const File& from) const {
    const ssize_t moved = ::splice(from.fd(), nullptr, in_.fd(), nullptr, 4096, 0);
    if (moved < 0) return failed(errno);
    return moved == 0 ? end_of_file() : out_.read(static_cast<std::size_t>(moved));
  }
  File out_ = File::adopt(-1), in_ = File::adopt(-1);
};

// Newer kernels splice through the page cache only.
TEST_F(SpliceTest, MovesOneMessageAfterTheOtherOrTakesNone) {
  const File recv(server_end_ / "recv"), events(at("events"));
  const auto move_or_read = [&](const File& from) {
    const Got moved = move(from);
    return moved == failed(EINVAL) ? from.read() : moved;
  };
  for (const char* message : {"one", "two", "three"}) {
    ASSERT_EQ(send(client_end_, message), 0);
    EXPECT_EQ(move_or_read(recv), got(message));
  }
  for (const char* name : {"a", "b"}) {
    ASSERT_EQ(make_directory(at("servers") / name), 0);
    EXPECT_NE(move_or_read(events).bytes.find("created servers/"), std::string::npos) << name;
    while (events.poll_now(POLLIN) != 0) std::ignore = events.read();
  }
}

TEST_F(SpliceTest, PutTakesAnyNumberOfThem) {
  {
    const File put(client_end_ / "put", O_WRONLY);
    for (const char* piece : {"one ", "message"}) {
      ASSERT_EQ(in_.write(piece), 0);
      EXPECT_GT(::splice(out_.fd(), nullptr, put.fd(), nullptr, 4096, 0), 0);
    }
  }
  EXPECT_EQ(get(server_end_), got("one message"));
}

}  // namespace
}  // namespace comch::test
