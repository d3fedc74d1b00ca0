// Real tools on the tree: none hangs, and none eats a message.
#include <fcntl.h>
#include <unistd.h>

#include "fast_fixture.h"
#include "shell.h"

namespace comch::test {
namespace {

// Messages wait in both directions and at a consumer, and nobody reads them.
struct WaitingMessagesTest : FastTest {
  void SetUp() override {
    FastTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    connect_ends();
    for (const char* message : {"one\n", "two\n", "three\n"}) {
      ASSERT_EQ(send(client_end_, message), 0);
      ASSERT_EQ(send(server_end_, message), 0);
      ASSERT_EQ(send(producer_, message), 0);
    }
  }

  void expect_all_still_there() const {
    for (const auto& end : {server_end_, client_end_, consumer_}) {
      const File recv(end / "recv", O_RDONLY | O_NONBLOCK);
      for (const char* message : {"one\n", "two\n", "three\n"})
        EXPECT_EQ(recv.wait_and_read(), got(message)) << end;
      EXPECT_EQ(recv.read(), failed(EAGAIN)) << end << ": a message that nobody sent";
    }
  }
};

// A tool that goes over the whole tree by itself.
struct Walk {
  const char* program;
  const char* script;
  int code_max = 0;  // What it may end with: some mention files that changed meanwhile.
};
void PrintTo(const Walk& walk, std::ostream* out) { *out << walk.script; }

struct WalkingToolTest : WaitingMessagesTest, testing::WithParamInterface<Walk> {};

TEST_P(WalkingToolTest, NeitherHangsNorEatsAMessage) {
  if (!has_program(GetParam().program)) GTEST_SKIP() << GetParam().program << " is not installed";
  const TempDir dir;
  const std::string script = "OUT='" + dir.path().string() + "'; " + GetParam().script;
  const Said result = shell(root(), script);
  EXPECT_EQ(result.exit.signal, 0) << "it hung: " << result;
  EXPECT_LE(result.exit.code, GetParam().code_max) << result;
  expect_all_still_there();
}

INSTANTIATE_TEST_SUITE_P(
    Tools, WalkingToolTest,
    testing::Values(
        Walk{"grep", "grep -r one . >/dev/null", 1}, Walk{"rg", "rg -uuu one . >/dev/null", 1},
        Walk{"find", "find . -type f -exec cat {} + >/dev/null"},
        Walk{"find", "find . -ls >/dev/null"}, Walk{"tar", "tar -cf \"$OUT/all.tar\" .", 1},
        Walk{"cp", "cp -r . \"$OUT\""}, Walk{"cp", "cp -a . \"$OUT\""},
        Walk{"rsync", "rsync -r . \"$OUT\" >/dev/null"},
        Walk{"rsync", "rsync -a . \"$OUT\" >/dev/null"}, Walk{"tree", "tree -a -s . >/dev/null"},
        Walk{"du", "du -a . >/dev/null"}, Walk{"ls", "ls -lRaL . >/dev/null"},
        Walk{"ls", "ls -lR . >/dev/null"},
        Walk{"md5sum", "find . -type f -exec md5sum {} + >/dev/null"},
        Walk{"busybox", "busybox find . -type f -exec busybox cat {} + >/dev/null"},
        Walk{"busybox", "find . -type f -exec busybox md5sum {} + >/dev/null"},
        Walk{"stat", "stat -L servers/echo/conn0/* clients/me/conn/* >/dev/null"},
        Walk{"stat", "stat -L servers/echo/conn0/consumers/c0/* >/dev/null"},
        Walk{"stat", "stat -L clients/me/conn/producers/p0/* clients/me/conn/remote/* >/dev/null"},
        Walk{"test", "for f in servers/echo/conn0/*; do test -e \"$f\" -a -r \"$f\"; done; true"}));

struct ToolTest : PairTest {
  // What the script said, where what it says is all of its success.
  void expect_said(const char* script, const std::string& output,
                   const char* interpreter = "/bin/sh") {
    EXPECT_EQ(shell(root(), script, Deadline(), interpreter), said(output)) << script;
  }
};

TEST_F(ToolTest, QuickStartOfTheManualWorks) {
  expect_said(
      "mkdir servers/e && mkdir clients/m && echo e > clients/m/server &&"
      "echo hello > clients/m/conn/send && cat servers/e/conn0/get",
      "hello\n");
}

TEST_F(ToolTest, CatOfGetPrintsOneMessage) {
  ASSERT_EQ(send(client_end_, "first\n"), 0);
  ASSERT_EQ(send(client_end_, "second\n"), 0);
  expect_said("cat servers/echo/conn0/get", "first\n");
  expect_said("busybox cat servers/echo/conn0/get", "second\n");
}

TEST_F(ToolTest, CpOfGetMakesAFile) {
  ASSERT_EQ(send(client_end_, "content"), 0);
  const TempDir dir;
  const std::string file = (dir / "message").string();
  expect_said(("cp servers/echo/conn0/get " + file + " && cat " + file).c_str(), "content");
}

TEST_F(ToolTest, DdReadsAndWritesSingleMessages) {
  expect_said("printf 123456 | dd bs=6 count=1 of=clients/me/conn/send status=none", "");
  expect_said("dd if=servers/echo/conn0/recv bs=4 count=2 status=none", "123456");
}

TEST_F(ToolTest, HeadOfRecvTakesBytesOfOneMessage) {
  ASSERT_EQ(send(client_end_, "0123456789"), 0);
  expect_said("head -c 4 servers/echo/conn0/get", "0123");
}

TEST_F(ToolTest, QuickStartOfTheFastPathWorks) {
  expect_said(
      "S=servers/echo/conn0; C=clients/me/conn; mkdir $S/consumers/c0 $C/producers/p0 &&"
      "echo 1 > $S/consumers/c0/enable && cat $S/consumers/c0/id > $C/producers/p0/target;"
      "seq 500000 > $C/producers/p0/put & cat servers/echo/conn0/consumers/c0/get | md5sum; wait",
      shell("/", "seq 500000 | md5sum").output);
}

TEST_F(ToolTest, Md5sumOfGetEndsWithTheMessage) {
  ASSERT_EQ(send(client_end_, "abc"), 0);
  expect_said("md5sum < servers/echo/conn0/get", "900150983cd24fb0d6963f7d28e17f72  -\n");
}

TEST_F(ToolTest, CatOfRecvFollowsUntilThePeerGoes) {
  ASSERT_EQ(send(client_end_, "one "), 0);
  ASSERT_EQ(send(client_end_, "two"), 0);
  ASSERT_EQ(remove_directory(client_), 0);
  expect_said("cat servers/echo/conn0/recv", "one two");
}

TEST_F(ToolTest, BashSendsOneMessagePerLineToSendAndOneInAllToPut) {
  expect_said("printf 'a\\nb\\n' > clients/me/conn/send", "", "/bin/bash");
  expect_said("printf 'c\\nd\\n' > clients/me/conn/put", "", "/bin/bash");
  EXPECT_EQ(get(server_end_), got("a\n"));
  EXPECT_EQ(get(server_end_), got("b\n"));
  EXPECT_EQ(get(server_end_), got("c\nd\n"));
}

TEST_F(ToolTest, BashReadsLinesOfRecv) {
  ASSERT_EQ(send(client_end_, "one\ntwo\n"), 0);
  ASSERT_EQ(send(client_end_, "three\n"), 0);
  expect_said("exec 3<servers/echo/conn0/recv; for i in 1 2 3; do read -u 3 x; echo \"$x.\"; done",
              "one.\ntwo.\nthree.\n", "/bin/bash");
}

TEST_F(ToolTest, TeeAndAppendReachSend) {
  expect_said("echo tee | tee clients/me/conn/send; echo more >> clients/me/conn/send", "tee\n");
  EXPECT_EQ(get(server_end_), got("tee\n"));
  EXPECT_EQ(get(server_end_), got("more\n"));
}

TEST_F(ToolTest, TailOfAnAttributeAndWcOfAllOfThemEnd) {
  expect_said("tail -n 1 servers/echo/state; wc -c servers/echo/state | cut -d' ' -f1",
              "running\n8\n");
}

TEST_F(ToolTest, EchoServerOfShellCommandsAnswers) {
  ASSERT_EQ(send(client_end_, "question"), 0);
  expect_said("cat servers/echo/conn0/get > servers/echo/conn0/put && cat clients/me/conn/get",
              "question");
}

TEST_F(ToolTest, TimeoutEndsAReaderOfAnEmptyQueue) {
  const Said result = shell(root(), "timeout 0.1 cat servers/echo/conn0/recv");
  EXPECT_EQ(result.exit, Exit::with(124)) << result;
}

}  // namespace
}  // namespace comch::test
