// Who waits, who does not, and that nobody is in the way of anybody else.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <map>
#include <set>
#include <vector>

#include "attempt.h"
#include "shell.h"
#include "tree_fixture.h"

namespace comch::test {
namespace {
namespace fs = std::filesystem;

using HeldReadTest = PairTest;
using HeldWriteTest = PairTest;

// Sends until there is no room; how many messages were taken, "0", "1", ...
int fill(const fs::path& connection) {
  const File file(connection / "send", O_WRONLY | O_NONBLOCK);
  for (int count = 0; count < 100'000; ++count) {
    const int error = file.write(std::to_string(count));
    if (error == EAGAIN) return count;
    if (error != 0) ADD_FAILURE() << "message " << count << ": " << error;
    if (error != 0) return count;
  }
  ADD_FAILURE() << "nothing bounds the queue";
  return 0;
}

Attempt interruptible_read(const fs::path& file) {
  return Attempt([&] {
    interrupt_on(SIGUSR1);
    return File(file).read();
  });
}

TEST_F(HeldReadTest, NonblockingReadOfAnEmptyQueueIsEAGAIN) {
  for (const fs::path& file : {server_end_ / "recv", server_end_ / "get",
                               server_end_ / "recv.framed", server_ / "recv", client_end_ / "recv"})
    EXPECT_EQ(File(file, O_RDONLY | O_NONBLOCK).read(), failed(EAGAIN)) << file;
}

TEST_F(HeldReadTest, SignalInterruptsEveryKindOfReadAtOnce) {
  for (const fs::path& file :
       {server_end_ / "recv", server_end_ / "get", server_end_ / "recv.framed", server_ / "recv",
        server_ / "events", at("events")}) {
    const Attempt reader = interruptible_read(file);
    ASSERT_TRUE(reader.is_held(SYS_read)) << file;
    reader.kill(SIGUSR1);
    EXPECT_EQ(reader.result(), failed(EINTR)) << file;
  }
  ASSERT_EQ(send(client_end_, "for the next"), 0);
  EXPECT_EQ(get(server_end_), got("for the next"));
}

TEST_F(HeldReadTest, KilledReaderEndsAtOnceAndTakesNoMessageAlong) {
  Attempt reader([&] { return File(server_end_ / "recv").read(); });
  ASSERT_TRUE(reader.is_held(SYS_read));
  reader.kill(SIGKILL);
  EXPECT_EQ(reader.wait(), Exit::by_signal(SIGKILL));
  ASSERT_EQ(send(client_end_, "survives"), 0);
  EXPECT_EQ(get(server_end_), got("survives"));
}

TEST_F(HeldReadTest, StopAndContinueLoseNoMessage) {
  const Attempt reader([&] {
    const File recv(server_end_ / "recv");
    for (;;)
      if (Got message = recv.read(); message.error != EINTR) return message;
  });
  ASSERT_TRUE(reader.is_held(SYS_read));
  reader.kill(SIGSTOP);
  ASSERT_TRUE(eventually([&] { return state_of(reader.pid()) == 'T'; }));
  ASSERT_EQ(send(client_end_, "patience"), 0);
  reader.kill(SIGCONT);
  EXPECT_EQ(reader.result(), got("patience"));
}

TEST_F(HeldReadTest, SignalThatRacesWithAMessageLosesNothing) {
  for (int round = 0; round < 100; ++round) {
    const Attempt reader = interruptible_read(server_end_ / "recv");
    ASSERT_TRUE(reader.is_held(SYS_read));
    const std::string message = std::to_string(round);
    if (round % 2 == 0) reader.kill(SIGUSR1);
    ASSERT_EQ(send(client_end_, message), 0);
    if (round % 2 == 1) reader.kill(SIGUSR1);
    const Got first = reader.result();
    if (first == failed(EINTR))
      ASSERT_EQ(get(server_end_), got(message)) << "the reader had not got it";
    else
      ASSERT_EQ(first, got(message));
  }
}

TEST_F(HeldReadTest, TwoHundredReadersWaitAndEachGetsOneMessage) {
  std::vector<Attempt> readers;
  readers.reserve(200);
  std::multiset<std::string> expected, found;
  for (int i = 0; i < 200; ++i)
    readers.emplace_back([&] { return File(server_end_ / "recv").read(); });
  for (const Attempt& reader : readers) ASSERT_TRUE(reader.is_held(SYS_read));
  EXPECT_EQ(shell(root(),
                  "ls -lR >/dev/null && stat servers/echo/conn0/recv >/dev/null && "
                  "mkdir servers/more && rmdir servers/more")
                .exit,
            Exit::with(0))
      << "the tree is as usable as ever";
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(send(client_end_, std::to_string(i)), 0);
    expected.insert(std::to_string(i));
  }
  for (const Attempt& reader : readers) found.insert(reader.result().bytes);
  EXPECT_EQ(found, expected);
}

TEST_F(HeldReadTest, HeldReadersAreLetGoWhenTheirObjectIsRemoved) {
  const Attempt reader([&] { return File(server_end_ / "recv").read(); });
  const Attempt everyone([&] { return File(server_ / "recv").read(); });
  const Attempt events([&] {
    const File file(server_ / "events");
    for (;;)
      if (Got line = file.read(); line.bytes.empty()) return line;
  });
  for (const Attempt* held : {&reader, &everyone, &events}) ASSERT_TRUE(held->is_held(SYS_read));
  ASSERT_EQ(remove_directory(server_), 0);
  const Got of_connection = reader.result();
  EXPECT_TRUE(of_connection == end_of_file() || of_connection == failed(ENODEV)) << of_connection;
  EXPECT_EQ(everyone.result(), failed(ENODEV));
  EXPECT_EQ(events.result(), failed(ENODEV));
}

TEST_F(HeldReadTest, ReaderAndWriterShareOneDescriptorOfEachEndAtOnce) {
  const Attempt reader([&] { return File(client_end_ / "recv").read(); });
  ASSERT_TRUE(reader.is_held(SYS_read));
  ASSERT_EQ(send(client_end_, "ping"), 0) << "a held read is not in the way of a write";
  ASSERT_EQ(send(server_end_, get(server_end_).bytes), 0);
  EXPECT_EQ(reader.result(), got("ping"));
}

TEST_F(HeldWriteTest, FullQueueIsEAGAINWithoutBlockingAndLosesNothing) {
  const int count = fill(client_end_);
  ASSERT_GT(count, 0);
  const File recv(server_end_ / "recv", O_RDONLY | O_NONBLOCK);
  for (int i = 0; i < count; ++i) ASSERT_EQ(recv.wait_and_read(), got(std::to_string(i)));
  EXPECT_EQ(recv.read(), failed(EAGAIN));
}

TEST_F(HeldWriteTest, SmallReceiveQueueHoldsItsSenderBackSooner) {
  const int usual = fill(client_end_);
  configure_both("recv_queue_size", "2");
  const int small = fill(client_end_);
  EXPECT_LT(small, usual);
}

TEST_F(HeldWriteTest, WriterIsHeldUntilThereIsRoom) {
  const int count = fill(client_end_);
  const Attempt writer([&] { return failed(send(client_end_, "patient")); });
  ASSERT_TRUE(writer.is_held(SYS_write));
  const File recv(server_end_ / "recv");
  for (int i = 0; i < count; ++i) ASSERT_EQ(recv.wait_and_read(), got(std::to_string(i)));
  EXPECT_EQ(recv.wait_and_read(), got("patient"));
  EXPECT_EQ(writer.result(), failed(0));
}

TEST_F(HeldWriteTest, HeldWriterIsInterruptedAndItsMessageIsNotSent) {
  const int count = fill(client_end_);
  const Attempt writer([&] {
    interrupt_on(SIGUSR1);
    return failed(send(client_end_, "never"));
  });
  ASSERT_TRUE(writer.is_held(SYS_write));
  writer.kill(SIGUSR1);
  EXPECT_EQ(writer.result(), failed(EINTR));
  const File recv(server_end_ / "recv", O_RDONLY | O_NONBLOCK);
  for (int i = 0; i < count; ++i) ASSERT_EQ(recv.wait_and_read(), got(std::to_string(i)));
  ASSERT_EQ(send(client_end_, "next"), 0);
  EXPECT_EQ(recv.wait_and_read(), got("next"));
}

TEST_F(HeldWriteTest, HeldWriterIsKilledAtOnce) {
  fill(client_end_);
  Attempt writer([&] { return failed(send(client_end_, "never")); });
  ASSERT_TRUE(writer.is_held(SYS_write));
  writer.kill(SIGKILL);
  EXPECT_EQ(writer.wait(), Exit::by_signal(SIGKILL));
}

TEST_F(HeldWriteTest, HeldWriterIsToldThatItsPeerHasGone) {
  fill(client_end_);
  const Attempt writer([&] { return failed(send(client_end_, "never")); });
  ASSERT_TRUE(writer.is_held(SYS_write));
  ASSERT_EQ(remove_directory(server_), 0);
  EXPECT_EQ(writer.result(), failed(EPIPE));
}

TEST_F(HeldWriteTest, NobodyBesideAHeldWriterHangs) {
  fill(client_end_);
  const Attempt writer([&] { return failed(send(client_end_, "held")); });
  ASSERT_TRUE(writer.is_held(SYS_write));
  const fs::path file = client_end_ / "send";
  const std::map<std::string, std::function<Got()>> others = {
      {"open and close", [&] { return failed(File(file, O_WRONLY).error()); }},
      {"open that truncates", [&] { return failed(File(file, O_WRONLY | O_TRUNC).error()); }},
      {"truncate", [&] { return failed(errno_of(::truncate(file.c_str(), 0))); }},
      {"chmod", [&] { return failed(errno_of(::chmod(file.c_str(), 0200))); }},
      {"stat", [&] { return failed(fs::exists(file) ? 0 : ENOENT); }}};
  for (const auto& [name, call] : others) {
    const Attempt other(call);
    const Got answer = other.result();
    EXPECT_NE(answer.error, ETIMEDOUT) << name << " hangs in state " << state_of(other.pid());
    const bool may_be_refused = name == "chmod" || name == "truncate";
    EXPECT_TRUE(answer.error == 0 || may_be_refused) << name << ": " << answer;
  }
  const Attempt nonblocking([&] { return failed(write_to(file, "full", O_NONBLOCK)); });
  EXPECT_EQ(nonblocking.result(), failed(EAGAIN)) << "in state " << state_of(nonblocking.pid());
  const Attempt unlinker([&] { return failed(errno_of(::unlink(file.c_str()))); });
  EXPECT_EQ(unlinker.result(), failed(EPERM));
  EXPECT_EQ(shell(root(),
                  "ls -lR >/dev/null; stat -L clients/me/conn/* >/dev/null; "
                  "rm -f clients/me/conn/send; : > clients/me/conn/send; echo done")
                .output.ends_with("done\n"),
            true);
  EXPECT_EQ(state_of(writer.pid()), 'S');
}

TEST_F(HeldWriteTest, SecondWriterCanBeKilledWhileTheFirstIsHeld) {
  fill(client_end_);
  const Attempt first([&] { return failed(send(client_end_, "first")); });
  ASSERT_TRUE(first.is_held(SYS_write));
  Attempt second([&] { return failed(send(client_end_, "second")); });
  EXPECT_TRUE(second.is_held(SYS_write)) << "in state " << state_of(second.pid());
  second.kill(SIGKILL);
  EXPECT_EQ(second.wait(), Exit::by_signal(SIGKILL));
  EXPECT_EQ(state_of(first.pid()), 'S');
}

TEST_F(HeldWriteTest, HeldWritersAreServedAndNoneIsLost) {
  const int count = fill(client_end_);
  std::vector<Attempt> writers;
  std::multiset<std::string> expected, found;
  for (int i = 0; i < 8; ++i) {
    const std::string message = "held " + std::to_string(i);
    expected.insert(message);
    writers.emplace_back([&] { return failed(send(client_end_, message)); });
    ASSERT_TRUE(writers.back().is_held(SYS_write));
  }
  const File recv(server_end_ / "recv");
  for (int i = 0; i < count; ++i) ASSERT_EQ(recv.wait_and_read(), got(std::to_string(i)));
  for (int i = 0; i < 8; ++i) found.insert(recv.wait_and_read().bytes);
  EXPECT_EQ(found, expected);
  for (const Attempt& writer : writers) EXPECT_EQ(writer.result(), failed(0));
}

TEST_F(HeldReadTest, SecondReaderOfOneGetHasItsEndWhenTheFirstHasTheMessage) {
  const File file(server_end_ / "get");
  const Attempt first([&] { return file.read(); }), second([&] { return file.read(); });
  ASSERT_TRUE(first.is_held(SYS_read) && second.is_held(SYS_read));
  ASSERT_EQ(send(client_end_, "only one"), 0);
  const Got one = first.result(), other = second.result();
  EXPECT_EQ(one.error, 0);
  EXPECT_EQ(other.error, 0);
  EXPECT_EQ(one.bytes + other.bytes, "only one");
}

TEST_F(HeldReadTest, SecondReaderOfOneOpenFileHasTheRestOfTheFirstsMessage) {
  const File file(server_end_ / "recv");
  const Attempt first([&] { return file.read(4); });
  ASSERT_TRUE(first.is_held(SYS_read));
  const Attempt second([&] { return file.read(4); });
  ASSERT_TRUE(second.is_held(SYS_read));
  ASSERT_EQ(send(client_end_, "12345678"), 0);
  EXPECT_EQ(first.result(), got("1234"));
  EXPECT_EQ(second.result(), got("5678"));
}

}  // namespace
}  // namespace comch::test
