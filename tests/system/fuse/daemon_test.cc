// The program comchfs: how it is started and stopped, and what a killed one leaves.
#include <fcntl.h>
#include <poll.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "attempt.h"
#include "shell.h"
#include "support/process_counters.h"
#include "tree_fixture.h"

namespace comch::test {
namespace {
namespace fs = std::filesystem;

std::string program() {
  const char* const path = std::getenv("COMCHFS");
  return path == nullptr ? "" : path;
}

// A daemon unmounts when it ends; only one that crashed does not.
void take_away_what_is_left_on(const fs::path& point) {
  if (mounts_under(point).empty()) return;
  ADD_FAILURE() << point << " is still mounted";
  ::umount2(point.c_str(), MNT_DETACH);
}

// A daemon beside or after that of the fixture, in the same runtime directory.
class Daemon {
 public:
  explicit Daemon(const fs::path& point, std::vector<std::string> arguments = {})
      : point_(point), process_(ChildProcess::exec(command(point, std::move(arguments)))) {
    Watchdog::guard(process_.pid());
  }
  ~Daemon() {
    process_.kill(SIGTERM);
    EXPECT_EQ(process_.wait(), Exit::with(0));
    take_away_what_is_left_on(point_);
  }

  bool is_ready() const {
    return eventually([&] { return text_of(point_ / "version").error == 0; });
  }
  ChildProcess& process() { return process_; }
  const fs::path& path() const { return point_; }

 private:
  static std::vector<std::string> command(const fs::path& point,
                                          std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {program(), "-f", point.string()});
    return arguments;
  }

  fs::path point_;
  ChildProcess process_;
};

// A mount point and a runtime directory, and nothing mounted yet.
struct ProgramTest : testing::Test {
  void SetUp() override {
    if (auto reason = Mount::unavailable()) GTEST_SKIP() << *reason;
    point = dir / "comch";
    fs::create_directory(point);
  }

  void TearDown() override {
    if (!point.empty()) take_away_what_is_left_on(point);
  }

  bool is_mounted() const { return !mounts_under(point).empty(); }

  // Unmounts, and waits for a daemon that has left the test behind.
  void unmount_and_reap() const {
    const std::vector<pid_t> daemons = children();
    EXPECT_TRUE(eventually([&] { return ::umount2(point.c_str(), 0) == 0; }));
    for (const pid_t daemon : daemons) {
      int status = 0;
      EXPECT_TRUE(eventually([&] { return ::waitpid(daemon, &status, WNOHANG) == daemon; }));
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    }
  }

  Watchdog watchdog;
  TempDir dir;
  RuntimeDirectory runtime;
  fs::path point;
};

using DaemonTest = PairTest;

TEST_F(ProgramTest, HelpExplainsTheCommandLine) {
  const auto help = run_program({program(), "--help"});
  ASSERT_TRUE(help);
  EXPECT_EQ(help->exit, Exit::with(0));
  for (const char* word : {"Usage: comchfs [OPTIONS] [SOURCE] MOUNTPOINT\n", "-o",
                           "side=", "autostart", "user_memory="})
    EXPECT_NE(help->output.find(word), std::string::npos) << word << " is not in " << help->output;
}

TEST_F(ProgramTest, VersionIsOneLine) {
  const auto version = run_program({program(), "--version"});
  ASSERT_TRUE(version);
  EXPECT_EQ(version->exit, Exit::with(0));
  EXPECT_TRUE(version->output.starts_with("comchfs 1.0")) << version->output;
}

TEST_F(ProgramTest, UnknownOptionIsAnErrorThatNamesIt) {
  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{"-o", "sdie=dpu"}, {"-o", "side=left"}, {"--frobnicate"}}) {
    std::vector<std::string> command = {program(), "-f", point};
    command.insert(command.end(), wrong.begin(), wrong.end());
    const auto refused = run_program(command);
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->exit, Exit::with(1)) << "mount's code for incorrect invocation";
    const std::string word = wrong.back().substr(wrong.back().find('=') + 1);
    EXPECT_NE(refused->output.find(word), std::string::npos) << refused->output;
    EXPECT_FALSE(is_mounted());
  }
}

TEST_F(ProgramTest, MissingMountPointIsAnError) {
  const auto nothing = run_program({program()});
  ASSERT_TRUE(nothing);
  EXPECT_EQ(nothing->exit, Exit::with(1)) << nothing->output;
  const auto missing = run_program({program(), "-f", dir / "missing"});
  ASSERT_TRUE(missing);
  EXPECT_EQ(missing->exit, Exit::with(32)) << "mount's code for a mount failure";
  EXPECT_NE(missing->output.find("missing"), std::string::npos) << missing->output;
}

TEST_F(ProgramTest, WithoutFItReturnsWhenTheTreeAnswers) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const auto started = run_program({program(), point});
  ASSERT_TRUE(started) << "its parent must end";
  EXPECT_EQ(started->exit, Exit::with(0)) << started->output;
  EXPECT_EQ(text_of(point / "version"), got("comchfs 1.0 abi 1\n"));
  unmount_and_reap();
}

TEST_F(ProgramTest, MountHelperTakesASourceAMountPointAndTheOptionsOfMount) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  fs::create_symlink(fs::canonical(program()), dir / "mount.comch");
  const auto started =
      run_program({dir / "mount.comch", "comch", point, "-o", "rw,dev,suid,noautostart"});
  ASSERT_TRUE(started);
  EXPECT_EQ(started->exit, Exit::with(0)) << started->output;
  EXPECT_EQ(text_of(point / "version"), got("comchfs 1.0 abi 1\n"));
  std::ostringstream mounts;
  mounts << std::ifstream("/proc/self/mounts").rdbuf();
  EXPECT_NE(mounts.str().find("comch " + point.string() + " fuse"), std::string::npos);
  unmount_and_reap();
}

TEST_F(ProgramTest, MountOfTypeFuseStartsIt) {
  if (::geteuid() != 0 || !has_program("mount.fuse"))
    GTEST_SKIP() << "mount.fuse is not installed, or this is not root";
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  // Not installed, it is not in the PATH that mount gives its helpers, but has a path.
  const std::string path = fs::canonical(program());
  const Said started = shell(dir.path(), "mount -t fuse '" + path + "#comch' comch");
  EXPECT_EQ(started.exit, Exit::with(0)) << started;
  EXPECT_EQ(text_of(point / "version"), got("comchfs 1.0 abi 1\n"));
  if (is_mounted()) unmount_and_reap();
}

TEST_F(ProgramTest, TellsTheServiceManagerWhenItIsReady) {
  const File socket = File::adopt(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  const std::string name = dir / "notify";
  ASSERT_LT(name.size(), sizeof address.sun_path);
  name.copy(address.sun_path, name.size());
  // The kernel's own way of passing addresses.
  ASSERT_EQ(::bind(socket.fd(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ::setenv("NOTIFY_SOCKET", name.c_str(), 1);
  Daemon daemon(point);
  ::unsetenv("NOTIFY_SOCKET");
  const Got message = socket.wait_and_read();
  EXPECT_NE(message.bytes.find("READY=1"), std::string::npos) << message;
  EXPECT_EQ(text_of(point / "version"), got("comchfs 1.0 abi 1\n")) << "ready is mounted";
}

TEST_F(ProgramTest, SIGTERMAndSIGINTUnmount) {
  for (const int signal : {SIGTERM, SIGINT}) {
    ChildProcess daemon = ChildProcess::exec({program(), "-f", point.string()});
    Watchdog::guard(daemon.pid());
    ASSERT_TRUE(eventually([&] { return fs::exists(point / "version"); }));
    daemon.kill(signal);
    EXPECT_EQ(daemon.wait(), Exit::with(0));
    EXPECT_FALSE(is_mounted());
  }
}

TEST_F(DaemonTest, SIGTERMIsESHUTDOWNToWhoReadsEventsWhateverElseEnds) {
  while (write_to(client_end_ / "send", "x", O_NONBLOCK) == 0) continue;
  const Attempt writer([&] { return failed(send(client_end_, "x")); });
  ASSERT_TRUE(writer.is_held(SYS_write));
  const Attempt reader([&] { return File(at("events")).read(); });
  ASSERT_TRUE(reader.is_held(SYS_read));
  tree().daemon().kill(SIGTERM);
  EXPECT_EQ(reader.result(), failed(ESHUTDOWN));
  EXPECT_EQ(writer.result(), failed(ESHUTDOWN));
}

TEST_F(DaemonTest, SIGTERMEndsHeldReadersAndTellsPeers) {
  const Attempt reader([&] { return File(server_end_ / "recv").read(); });
  ASSERT_TRUE(reader.is_held(SYS_read));
  tree().daemon().kill(SIGTERM);
  EXPECT_EQ(tree().daemon().wait(), Exit::with(0)) << tree().log();
  EXPECT_NE(reader.result(), failed(ETIMEDOUT));
  EXPECT_TRUE(mounts_under(root()).empty());
}

TEST_F(DaemonTest, KilledDaemonLetsItsReadersAndWritersGoAndANewOneReplacesItsMount) {
  const Attempt reader([&] { return File(client_end_ / "recv").read(); });
  const Attempt writer([&] {
    const File file(client_end_ / "send", O_WRONLY);
    for (;;)
      if (const int error = file.write("x"); error != 0) return failed(error);
  });
  ASSERT_TRUE(reader.is_held(SYS_read));
  tree().daemon().kill(SIGKILL);
  ASSERT_EQ(tree().daemon().wait(), Exit::by_signal(SIGKILL));
  EXPECT_EQ(reader.result(), failed(ECONNABORTED));
  const Got written = writer.result();
  EXPECT_TRUE(written == failed(ECONNABORTED) || written == failed(ENOTCONN)) << written;
  EXPECT_EQ(text_of(at("version")), failed(ENOTCONN));

  Daemon again(root());
  ASSERT_TRUE(again.is_ready());
  EXPECT_EQ(mounts_under(root()).size(), 1U) << "the dead mount is below the new one";
  EXPECT_EQ(make_server("echo"), 0) << "and its names are free";
  EXPECT_EQ(value(at("servers/echo/state")), "running");
}

TEST_F(DaemonTest, TwoMountsTalkToEachOther) {
  const TempDir place;
  Daemon other(place.path());
  ASSERT_TRUE(other.is_ready());
  const fs::path client = other.path() / "clients/far";
  ASSERT_TRUE(fs::create_directory(client));
  ASSERT_EQ(write_to(client / "server", "echo"), 0);
  ASSERT_TRUE(eventually([&] { return fs::exists(server_ / "conn1"); }));
  EXPECT_EQ(send(client / "conn", "ping"), 0);
  EXPECT_EQ(get(server_ / "conn1"), got("ping"));
  EXPECT_EQ(send(server_ / "conn1", "pong"), 0);
  EXPECT_EQ(get(client / "conn"), got("pong"));
}

TEST_F(DaemonTest, KilledMountIsALossToTheOther) {
  const TempDir place;
  Daemon other(place.path());
  ASSERT_TRUE(other.is_ready());
  const fs::path client = other.path() / "clients/far";
  ASSERT_TRUE(fs::create_directory(client));
  ASSERT_EQ(write_to(client / "server", "echo"), 0);
  const File recv(client / "conn/recv");
  tree().daemon().kill(SIGKILL);
  EXPECT_EQ(recv.wait_and_read(), failed(ECONNRESET));
  EXPECT_EQ(recv.wait_and_read(), end_of_file());
  ASSERT_TRUE(eventually([&] { return value(client / "state") == "idle"; }));
}

TEST_F(ProgramTest, HostSideAndDpuSideMountsTalk) {
  const fs::path dpu_point = dir / "dpu";
  fs::create_directory(dpu_point);
  Daemon host(point, {"-o", "side=host"}), dpu(dpu_point, {"-o", "side=dpu"});
  ASSERT_TRUE(host.is_ready() && dpu.is_ready());
  const Said client = shell(dir.path(),
                            "mkdir dpu/servers/echo && mkdir comch/clients/me && "
                            "echo echo > comch/clients/me/server && "
                            "echo hello > comch/clients/me/conn/send");
  EXPECT_EQ(client, said(""));
  // The other mount shows its end when it has announced it to watchers; nobody waits for that.
  ASSERT_TRUE(eventually([&] { return fs::exists(dpu_point / "servers/echo/conn0"); }));
  EXPECT_EQ(shell(dir.path(), "cat dpu/servers/echo/conn0/get"), said("hello\n"));
}

TEST_F(DaemonTest, ManyConnectionsLeaveNeitherDescriptorsNorMappingsBehind) {
  const auto round = [&] {
    for (int i = 0; i < 20; ++i) {
      const std::string name = "c" + std::to_string(i);
      ASSERT_EQ(connect(name, "echo"), 0);
      ASSERT_EQ(send(at("clients/" + name + "/conn"), "hello"), 0);
      const File recv(connections(server_).back() / "recv");
      ASSERT_EQ(recv.wait_and_read(), got("hello"));
      ASSERT_EQ(remove_directory(at("clients/" + name)), 0);
    }
    ASSERT_TRUE(eventually([&] { return connections(server_).size() == 1; }));
  };
  const pid_t daemon = tree().daemon().pid();
  round();
  const std::size_t before = open_descriptors(daemon).size();
  const std::size_t mapped = mappings("memfd", daemon);
  round();
  EXPECT_TRUE(eventually([&] { return open_descriptors(daemon).size() <= before; }))
      << open_descriptors(daemon).size() << " descriptors, there were " << before;
  EXPECT_TRUE(eventually([&] { return mappings("memfd", daemon) <= mapped; }));
}

}  // namespace
}  // namespace comch::test
