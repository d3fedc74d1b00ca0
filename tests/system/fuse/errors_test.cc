// A write that fails says why three times: its errno, the object's `error`, and a line.
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "library_peer.h"
#include "tree_fixture.h"

namespace comch::test {
namespace {
namespace fs = std::filesystem;

using ErrorTest = PairTest;

// The object is `server` or `client`, the file is below it.
struct Refusal {
  const char* object;
  const char* file;
  const char* text;
  int error;
  bool is_idle = false;
};
void PrintTo(const Refusal& refusal, std::ostream* out) {
  *out << refusal.object << '/' << refusal.file << " <- " << refusal.text;
}

struct RefusalTest : PairTest, testing::WithParamInterface<Refusal> {
  std::vector<std::string> arguments() const override { return {"--log-level", "info"}; }
};

TEST_P(RefusalTest, HasItsErrnoAReasonAnEventAndALogLine) {
  const Refusal& refusal = GetParam();
  const fs::path object = std::string_view(refusal.object) == "server" ? server_ : client_;
  if (refusal.is_idle) {
    ASSERT_EQ(write_to(object / "enable", "0"), 0);
  }
  const File events(object / "events", O_RDONLY | O_NONBLOCK);
  while (!events.read().bytes.empty()) {
  }
  const std::size_t logged = tree().log().size();
  EXPECT_EQ(write_to(object / refusal.file, refusal.text), refusal.error)
      << "expected " << ::strerrorname_np(refusal.error);
  const std::string reason = value(object / "error");
  EXPECT_NE(reason.find(::strerrorname_np(refusal.error)), std::string::npos) << reason;
  EXPECT_GT(reason.size(), std::strlen(::strerrorname_np(refusal.error)) + 5) << reason;
  if (std::string_view(refusal.file) != "ctl") {
    EXPECT_NE(reason.find(refusal.file), std::string::npos) << reason << " names no file";
  }
  EXPECT_NE(events.wait_and_read().bytes, "");
  EXPECT_TRUE(eventually([&] {
    return tree().log().find(::strerrorname_np(refusal.error), logged) != std::string::npos;
  })) << "not in the log";
}

INSTANTIATE_TEST_SUITE_P(
    Writes, RefusalTest,
    testing::Values(Refusal{"server", "enable", "perhaps", EINVAL},
                    Refusal{"server", "max_msg_size", "100", EBUSY},
                    Refusal{"server", "max_msg_size", "abc", EINVAL, true},
                    Refusal{"server", "max_msg_size", "65536", EINVAL, true},
                    Refusal{"server", "recv_queue_size", "0", EINVAL, true},
                    Refusal{"server", "device", "no-such-device", ENOENT, true},
                    Refusal{"server", "device", "comch0-host", EOPNOTSUPP, true},
                    Refusal{"server", "rep", "no-such-rep", ENOENT, true},
                    Refusal{"server", "allow_uid", "nobody knows", EINVAL, true},
                    Refusal{"server", "ctl", "frobnicate", EINVAL},
                    Refusal{"server", "ctl", "set colour blue", EINVAL},
                    Refusal{"client", "max_msg_size", "100", EBUSY},
                    Refusal{"client", "server", "another", EBUSY},
                    Refusal{"client", "server", "nobody", ENOENT, true},
                    Refusal{"client", "server", "no/name", EINVAL, true},
                    Refusal{"client", "device", "comch0", EOPNOTSUPP, true},
                    Refusal{"client", "ctl", "frobnicate", EINVAL}));

TEST_F(ErrorTest, ErrorIsEmptyWhenNothingFailed) {
  EXPECT_EQ(text_of(server_ / "error").bytes.find_first_not_of('\n'), std::string::npos);
  EXPECT_EQ(value(client_ / "error"), "");
}

TEST_F(ErrorTest, ReasonOfARefusedConnectionNamesTheServer) {
  ASSERT_EQ(connect("you", "nobody"), ENOENT);
  EXPECT_NE(value(at("clients/you/error")).find("nobody"), std::string::npos)
      << value(at("clients/you/error"));
}

TEST_F(ErrorTest, LossOfAPeerIsSaidInErrorAndEvents) {
  LibraryClient peer("echo");
  ASSERT_TRUE(peer.is_ready() && has_connections(server_, 2));
  const File events(server_ / "events", O_RDONLY | O_NONBLOCK);
  const std::string name = connections(server_).back().filename();
  peer.process().kill(SIGKILL);
  EXPECT_TRUE(eventually([&] { return value(server_ / "error") != ""; }));
  EXPECT_NE(value(server_ / "error").find("ECONNRESET"), std::string::npos)
      << value(server_ / "error");
  std::string lines;
  EXPECT_TRUE(eventually([&] {
    lines += events.read().bytes;
    return lines.find(name) != std::string::npos;
  })) << lines;
}

TEST_F(ErrorTest, PutThatFailsAfterItsCloseIsSaidInError) {
  File file(client_end_ / "put", O_WRONLY);
  ASSERT_EQ(file.write("too late"), 0);
  ASSERT_EQ(remove_directory(server_), 0);
  ASSERT_TRUE(eventually([&] { return value(client_ / "state") == "idle"; }));
  file.close();
  EXPECT_TRUE(eventually([&] {
    return value(client_ / "error").find("EPIPE") != std::string::npos;
  })) << value(client_ / "error");
}

TEST_F(ErrorTest, ErrorIsPOLLPRIWhenItChanges) {
  const File error(server_ / "error");
  error.read();
  EXPECT_EQ(write_to(server_ / "enable", "maybe"), EINVAL);
  EXPECT_NE(error.poll(POLLPRI) & POLLPRI, 0);
}

TEST_F(ErrorTest, NothingAnswersWhatOnlyTheKernelMaySay) {
  ASSERT_EQ(make_directory(at("clients/idle")), 0);
  LibraryClient peer("echo");
  ASSERT_TRUE(peer.is_ready() && has_connections(server_, 2));
  const fs::path end = connections(server_).back();
  const File out(end / "send", O_WRONLY), in(end / "recv");
  peer.process().kill(SIGKILL);
  for (int i = 0; i < 5; ++i) {
    const int write_error = out.write("x"), idle_error = send(at("clients/idle/conn"), "x");
    const int read_error = in.wait_and_read().error;
    for (const int error : {write_error, idle_error, read_error}) {
      EXPECT_NE(error, ENOTCONN);
      EXPECT_NE(error, ECONNABORTED);
    }
  }
}

}  // namespace
}  // namespace comch::test
