// Messages through send and put: what one write is.
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <vector>

#include "shell.h"
#include "tree_fixture.h"

namespace comch::test {
namespace {

using SendTest = PairTest;
using PutTest = PairTest;

constexpr std::size_t kDefaultMax = 4080;

TEST_F(SendTest, OneWriteIsOneMessage) {
  const File file(client_end_ / "send", O_WRONLY);
  EXPECT_EQ(file.write("hello\n"), 0);
  EXPECT_EQ(file.write("second"), 0);
  const File recv(server_end_ / "recv");
  EXPECT_EQ(recv.read(), got("hello\n"));
  EXPECT_EQ(recv.read(), got("second"));
}

TEST_F(SendTest, BothWaysAreIndependent) {
  EXPECT_EQ(send(client_end_, "ping"), 0);
  EXPECT_EQ(send(server_end_, "pong"), 0);
  EXPECT_EQ(get(client_end_), got("pong"));
  EXPECT_EQ(get(server_end_), got("ping"));
}

TEST_F(SendTest, TruncatingAndAppendingOpensAreAccepted) {
  EXPECT_EQ(write_to(client_end_ / "send", "truncated", O_TRUNC | O_CREAT), 0);
  EXPECT_EQ(write_to(client_end_ / "send", "appended", O_APPEND), 0);
  const File file(client_end_ / "send", O_WRONLY);
  EXPECT_EQ(errno_of(::ftruncate(file.fd(), 0)), 0);
  EXPECT_EQ(get(server_end_), got("truncated"));
  EXPECT_EQ(get(server_end_), got("appended"));
  EXPECT_EQ(look(server_end_), failed(EAGAIN)) << "and none of them is a message itself";
}

TEST_F(SendTest, MessageOfTheMaximumSizeArrives) {
  const std::string largest(kDefaultMax, 'x');
  EXPECT_EQ(send(client_end_, largest), 0);
  EXPECT_EQ(get(server_end_), got(largest));
}

TEST_F(SendTest, MessageAboveTheMaximumIsEMSGSIZEAndNothingIsSent) {
  for (const std::size_t size :
       {kDefaultMax + 1, std::size_t{65536}, std::size_t{1044480}, std::size_t{4} << 20})
    EXPECT_EQ(send(client_end_, std::string(size, 'x')), EMSGSIZE) << size;
  EXPECT_EQ(send(client_end_, "next"), 0);
  EXPECT_EQ(get(server_end_), got("next"));
}

TEST_F(SendTest, LargestMessageOfAllArrivesFromAnyAlignment) {
  configure_both("max_msg_size", "65535");
  std::string memory(65535 + 3, '\0');
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<char>(i * 31);
  const File recv(server_end_ / "recv");
  for (std::size_t begin = 0; begin < 3; ++begin) {
    const std::string_view message = std::string_view(memory).substr(begin, 65535);
    EXPECT_EQ(send(client_end_, message), 0);
    EXPECT_TRUE(recv.read() == got(message)) << begin;
  }
}

TEST_F(SendTest, GatheredWriteIsOneMessage) {
  std::array<std::string, 3> parts{"one", "two", "three"};
  std::array<iovec, 3> pieces{};
  for (std::size_t i = 0; i < parts.size(); ++i)
    pieces[i] = {.iov_base = parts[i].data(), .iov_len = parts[i].size()};
  const File file(client_end_ / "send", O_WRONLY);
  EXPECT_EQ(::writev(file.fd(), pieces.data(), 3), 11);
  EXPECT_EQ(get(server_end_), got("onetwothree"));
}

TEST_F(SendTest, ScatterOfAThousandPiecesIsNeverTwoMessages) {
  std::string letter = "x";
  std::vector<iovec> pieces(1000, {.iov_base = letter.data(), .iov_len = 1});
  const File file(client_end_ / "send", O_WRONLY);
  const ssize_t taken = ::writev(file.fd(), pieces.data(), 1000);
  EXPECT_EQ(send(client_end_, "end"), 0);
  if (taken > 0) {
    EXPECT_EQ(get(server_end_), got(std::string(static_cast<std::size_t>(taken), 'x')));
  }
  EXPECT_EQ(get(server_end_), got("end"));
}

TEST_F(SendTest, EmptyWriteIsNoMessage) {
  EXPECT_EQ(write_to(client_end_ / "send", ""), 0);
  EXPECT_EQ(send(client_end_, "something"), 0);
  EXPECT_EQ(get(server_end_), got("something"));
}

TEST_F(SendTest, EveryByteValuePasses) {
  std::string bytes(256, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i);
  EXPECT_EQ(send(client_end_, bytes), 0);
  EXPECT_EQ(get(server_end_), got(bytes));
}

TEST_F(PutTest, MessageIsEverythingFromOpenToTheLastClose) {
  File file(client_end_ / "put", O_WRONLY);
  EXPECT_EQ(file.write("one "), 0);
  File::adopt(::dup(file.fd())).close();
  EXPECT_EQ(file.write("two "), 0);
  EXPECT_EQ(file.write("three"), 0);
  EXPECT_EQ(send(client_end_, "in between"), 0);
  EXPECT_EQ(get(server_end_), got("in between")) << "the close of a duplicate sends nothing";
  file.close();
  EXPECT_EQ(get(server_end_), got("one two three"));
}

TEST_F(PutTest, PipelineIsOneMessage) {
  const Said script = shell(root(), "(echo a; echo b; printf 'c\\nd\\n') > clients/me/conn/put");
  EXPECT_EQ(script, said(""));
  EXPECT_EQ(get(server_end_), got("a\nb\nc\nd\n"));
}

TEST_F(PutTest, WriteThatExceedsTheMaximumIsEMSGSIZE) {
  const File file(client_end_ / "put", O_WRONLY);
  EXPECT_EQ(file.write(std::string(kDefaultMax, 'x')), 0);
  EXPECT_EQ(file.write("y"), EMSGSIZE);
}

TEST_F(PutTest, FileOfTheMaximumSizeArrivesWhole) {
  const std::string largest(kDefaultMax, 'p');
  EXPECT_EQ(put(client_end_, largest), 0);
  EXPECT_EQ(get(server_end_), got(largest));
}

TEST_F(PutTest, TwoOpenersWriteTwoMessages) {
  File first(client_end_ / "put", O_WRONLY), second(client_end_ / "put", O_WRONLY);
  EXPECT_EQ(first.write("a"), 0);
  EXPECT_EQ(second.write("b"), 0);
  EXPECT_EQ(first.write("a"), 0);
  first.close();
  EXPECT_EQ(get(server_end_), got("aa"));
  second.close();
  EXPECT_EQ(get(server_end_), got("b"));
}

}  // namespace
}  // namespace comch::test
