// comch send, recv, connect and listen: messages between programs.
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>

#include "support/deadline.h"
#include "tool_test.h"

namespace comch::test {
namespace {

using testing::HasSubstr;

// A named pipe that is open at both ends, so that whoever opens it waits for nobody.
class NamedPipe {
 public:
  explicit NamedPipe(int flags = 0) {
    EXPECT_EQ(::mkfifo(path().c_str(), 0600), 0);
    fd_ = ::open(path().c_str(), O_RDWR | O_CLOEXEC | flags);
  }
  NamedPipe(const NamedPipe&) = delete;
  NamedPipe& operator=(const NamedPipe&) = delete;
  ~NamedPipe() {
    if (fd_ >= 0) ::close(fd_);
  }

  std::string path() const { return dir_ / "pipe"; }
  int fd() const { return fd_; }

 private:
  const TempDir dir_;
  int fd_ = -1;
};

struct SendTest : ToolTest {};

TEST_F(SendTest, EachArgumentIsAMessage) {
  Program server = listen("box --count 3");
  ASSERT_EQ(sh("comch send box one \"two words\" \"\"").code, 0);
  EXPECT_EQ(server.end().out, "one\ntwo words\n\n");
}

TEST_F(SendTest, EachLineIsAMessageAlsoTheLastWithoutNewline) {
  Program server = listen("box --count 3");
  ASSERT_EQ(sh("printf \"one\\n\\nthree\" | comch send box").code, 0);
  EXPECT_EQ(server.end().out, "one\n\nthree\n");
}

TEST_F(SendTest, RawInputIsOneMessageByteForByte) {
  Program server = listen("box --count 1 --raw");
  ASSERT_EQ(sh("printf \"a\\nb\\0c\\n\" | comch send --raw box").code, 0);
  EXPECT_EQ(server.end().out, std::string("a\nb\0c\n", 6));
}

// The server leaves when it has all, which may be before the sender has read where its input ends.
TEST_F(SendTest, ManyMoreMessagesThanTheQueueHoldsArriveInOrder) {
  Program server = listen("box --count 20000");
  ASSERT_EQ(sh("seq 20000 | comch send box"), Said{});
  EXPECT_EQ(server.end().out, sh("seq 20000").out);
}

TEST_F(SendTest, MessageAboveTheLimitIsAFailureThatNamesTheOption) {
  const Program server = listen("box");
  for (const char* line :
       {"comch send box $(printf %05000d 0)", "printf %05000d 0 | comch send box",
        "printf %05000d 0 | comch send box --raw"}) {
    const Said said = sh(line);
    EXPECT_EQ(said.code, 1) << line;
    EXPECT_THAT(said.err, HasSubstr("--max-message-size")) << line;
  }
}

TEST_F(SendTest, LimitMayBeRaisedOnBothEnds) {
  Program server = listen("box --count 1 --max-message-size 65535");
  ASSERT_EQ(sh("printf %065535d 0 | comch send box --raw --max-message-size 65535").code, 0);
  EXPECT_EQ(server.end().out.size(), 65536u);
}

TEST_F(SendTest, EndsThatDisagreeOnTheLimitAreToldSo) {
  const Program server = listen("box");
  const Said said = sh("comch send box hello --max-message-size 100");
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.err, HasSubstr("server 4080, client 100"));
}

// The named pipe feeds `comch send`; the server is stopped once it has the first line.
TEST_F(SendTest, InterruptWhileTheQueueIsFullIsAFailure) {
  const NamedPipe pipe;
  ASSERT_GE(pipe.fd(), 0);
  const Program server = listen("box");
  Program sender("comch send box <" + pipe.path());
  ASSERT_EQ(::write(pipe.fd(), "first\n", 6), 6);
  ASSERT_TRUE(server.has_said("first\n"));
  server.signal(SIGSTOP);
  const std::string lines(20000, '\n');  // Empty messages, far more than a queue of 64.
  ASSERT_EQ(::write(pipe.fd(), lines.data(), lines.size()), static_cast<ssize_t>(lines.size()));
  EXPECT_TRUE(eventually([&] {
    int unread = -1;
    return ::ioctl(pipe.fd(), FIONREAD, &unread) == 0 && unread == 0;
  }));
  sender.signal(SIGINT);
  const Said said = sender.end();
  EXPECT_EQ(said.code, 1) << said;
  EXPECT_EQ(said.err, "comch: interrupted before everything was sent\n");
}

struct RecvTest : ToolTest {};

TEST_F(RecvTest, PrintsWhatTheServerSendsUntilTheServerEnds) {
  Program server("comch listen news <<< $(seq 3)");
  ASSERT_TRUE(server.has_reported("listening as"));
  Program reader("comch recv news");
  ASSERT_TRUE(reader.has_said("1\n2\n3\n"));
  server.signal(SIGTERM);
  EXPECT_EQ(server.end().code, 0);
  EXPECT_EQ(reader.end(), (Said{.code = 0, .out = "1\n2\n3\n"}));
}

TEST_F(RecvTest, CountEndsItAndLeavesTheRest) {
  Program server("comch listen news <<< $(seq 3)");
  ASSERT_TRUE(server.has_reported("listening as"));
  EXPECT_EQ(sh("comch recv news --count 2"), (Said{.code = 0, .out = "1\n2\n"}));
}

TEST_F(RecvTest, FewerMessagesThanAskedForIsAFailure) {
  Program server("comch listen news <<< one");
  ASSERT_TRUE(server.has_reported("listening as"));
  Program reader("comch recv news --count 2");
  ASSERT_TRUE(reader.has_said("one\n"));
  server.signal(SIGTERM);
  const Said said = reader.end();
  EXPECT_EQ(said.code, 1) << said;
  EXPECT_EQ(said.err, "comch: the server ended the connection after 1 of 2 messages\n");
}

// The server is killed while the reader waits for room in the named pipe to print a message.
void lose_while_printing(const std::string& server_name, const NamedPipe& pipe) {
  constexpr int kRoom = 4096;
  constexpr std::size_t kPrinted = 60001;
  ASSERT_EQ(::fcntl(pipe.fd(), F_SETPIPE_SZ, kRoom), kRoom);
  const std::string with = server_name + " --max-message-size 65535 ";
  Program server("comch listen " + with + "<<< $(printf %060000d 0)");
  ASSERT_TRUE(server.has_reported("listening as"));
  Program reader("comch recv " + with + "--count 2 >" + pipe.path());
  ASSERT_TRUE(eventually([&] {
    int unread = -1;
    return ::ioctl(pipe.fd(), FIONREAD, &unread) == 0 && unread == kRoom;
  }));
  server.signal(SIGKILL);
  server.end();
  std::size_t printed = 0;
  std::array<char, kRoom> bytes{};
  EXPECT_TRUE(eventually([&] {
    printed +=
        static_cast<std::size_t>(std::max<ssize_t>(::read(pipe.fd(), bytes.data(), kRoom), 0));
    return printed == kPrinted;
  }));
  const Said said = reader.end();
  EXPECT_EQ(said.code, 1) << said;
  EXPECT_THAT(said.err, HasSubstr("comch: lost \"" + server_name + "\""));
}

// Whether the server is missed before anybody asks if it was there is a matter of luck, of one in
// four.
TEST_F(RecvTest, ServerThatDiesWhileItsFirstMessageIsPrintedWasConnectedTo) {
  constexpr int kTries = 12;
  const NamedPipe pipe(O_NONBLOCK);
  ASSERT_GE(pipe.fd(), 0);
  for (int n = 0; n < kTries && !HasFailure(); ++n) {
    lose_while_printing("news" + std::to_string(n), pipe);
  }
}

TEST_F(RecvTest, TimeThatIsUpIsAFailureOnlyWhereACountIsMissed) {
  const Program server = listen("news");
  EXPECT_EQ(sh("comch recv news --timeout 0.1"), (Said{}));
  EXPECT_EQ(sh("comch recv news --timeout 0.1 --count 1"),
            (Said{.code = 1, .err = "comch: time is up after 0 of 1 messages\n"}));
}

TEST_F(RecvTest, KilledServerIsAFailure) {
  const Program server = listen("news <<< hello");
  Program reader("comch recv news");
  ASSERT_TRUE(reader.has_said("hello"));
  server.signal(SIGKILL);
  const Said said = reader.end();
  EXPECT_EQ(said.code, 1) << said;
  EXPECT_THAT(said.err, HasSubstr("comch: lost \"news\""));
}

TEST_F(RecvTest, JsonShowsBytesThatAreNoTextInHex) {
  Program server("comch listen news <<< $(printf \"text\\n\\xff\\x01\")");
  ASSERT_TRUE(server.has_reported("listening as"));
  EXPECT_EQ(sh("comch recv news --count 2 --json").out,
            "{\"connection\":0,\"size\":4,\"text\":\"text\"}\n"
            "{\"connection\":0,\"size\":2,\"hex\":\"ff01\"}\n");
}

TEST_F(RecvTest, FullOutputIsAFailure) {
  Program server("comch listen news <<< hello");
  ASSERT_TRUE(server.has_reported("listening as"));
  const Said said = sh("comch recv news --count 1 >/dev/full");
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.err, HasSubstr("cannot write to standard output"));
}

struct ConnectTest : ToolTest {};

TEST_F(ConnectTest, TalksBothWays) {
  const Program server = listen("echo --echo");
  EXPECT_EQ(sh("printf \"one\\ntwo\\n\" | comch connect echo --count 2"),
            (Said{.code = 0, .out = "one\ntwo\n"}));
}

TEST_F(ConnectTest, EndOfInputEndsItWhenAllIsSent) {
  Program server = listen("box --count 2");
  EXPECT_EQ(sh("printf \"one\\ntwo\\n\" | comch connect box").code, 0);
  EXPECT_EQ(server.end().out, "one\ntwo\n");
}

TEST_F(ConnectTest, EchoOfMoreThanBothQueuesHoldIsComplete) {
  const Program server = listen("echo --echo");
  EXPECT_EQ(sh("seq 5000 | comch connect echo --count 5000"), sh("seq 5000"));
}

struct ListenTest : ToolTest {};

TEST_F(ListenTest, LinesGoToEveryClient) {
  const NamedPipe pipe;
  ASSERT_GE(pipe.fd(), 0);
  const Program server = listen("news <" + pipe.path());
  Program first("comch recv news --count 1");
  ASSERT_TRUE(server.has_reported("conn0 connected"));
  Program second("comch recv news --count 1");
  ASSERT_TRUE(server.has_reported("conn1 connected"));
  ASSERT_EQ(::write(pipe.fd(), "all\n", 4), 4);
  EXPECT_EQ(first.end().out, "all\n");
  EXPECT_EQ(second.end().out, "all\n");
}

TEST_F(ListenTest, LinesGoToTheFirstClientWhenAsked) {
  const NamedPipe pipe;
  ASSERT_GE(pipe.fd(), 0);
  Program server = listen("news --to first <" + pipe.path());
  Program first("comch recv news --count 1");
  ASSERT_TRUE(server.has_reported("conn0 connected"));
  Program second("comch connect news --stay <<< second");
  ASSERT_TRUE(server.has_said("second\n"));
  ASSERT_EQ(::write(pipe.fd(), "one\n", 4), 4);
  EXPECT_EQ(first.end().out, "one\n");
  server.signal(SIGINT);
  EXPECT_EQ(second.end(), (Said{}));
}

TEST_F(ListenTest, TagTellsWhoseMessageItIs) {
  Program server = listen("box --tag --count 2");
  ASSERT_EQ(sh("comch send box a").code, 0);
  ASSERT_EQ(sh("comch send box b").code, 0);
  EXPECT_EQ(server.end().out, "conn0 a\nconn1 b\n");
}

TEST_F(ListenTest, NameThatIsTakenIsAFailure) {
  const Program server = listen("box");
  const Said said = sh("comch listen box");
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.err, HasSubstr("choose another name"));
}

TEST_F(ListenTest, DeathOfOneClientIsToldAndLeavesTheOthers) {
  const Program server = listen("echo --echo");
  Program dying("comch recv echo");
  ASSERT_TRUE(server.has_reported("conn0 connected"));
  dying.signal(SIGKILL);
  EXPECT_TRUE(server.has_reported("conn0 was lost"));
  EXPECT_EQ(sh("comch connect echo --count 1 <<< still").out, "still\n");
}

// The named pipe takes what the server prints, and nobody reads it.
TEST_F(ListenTest, InterruptEndsItAlsoWhileNobodyReadsWhatItPrints) {
  const NamedPipe pipe;
  ASSERT_GE(pipe.fd(), 0);
  Program server = listen("box >" + pipe.path());
  const Program sender("comch send box < <(yes | head -c 1000000)");
  const std::string writes_to_output = std::to_string(SYS_write) + " 0x1 ";
  ASSERT_TRUE(eventually([&] {
    const std::string call = sh("cat /proc/" + std::to_string(server.pid()) + "/syscall").out;
    int unread = 0;
    return ::ioctl(pipe.fd(), FIONREAD, &unread) == 0 && unread > 0 &&
           call.starts_with(writes_to_output);
  }));
  server.signal(SIGTERM);
  const Said said = server.end();
  EXPECT_EQ(said.code, 1) << said;
  EXPECT_THAT(said.err, HasSubstr("cannot write to standard output"));
  EXPECT_EQ(runtime_.entries(), std::vector<std::string>{});
}

TEST_F(ListenTest, HangUpIsIgnoredWhereItWasBefore) {
  Program server("env --ignore-signal=HUP comch listen box");
  ASSERT_TRUE(server.has_reported("listening as"));
  server.signal(SIGHUP);
  EXPECT_EQ(sh("comch send box still").code, 0);
  EXPECT_TRUE(server.has_said("still"));
  server.signal(SIGINT);
  EXPECT_EQ(server.end().code, 0);
}

}  // namespace
}  // namespace comch::test
