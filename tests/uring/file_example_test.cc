// The example that moves files, where not all is well: what cannot be read or must not be written,
// and an other side, or a file, that goes in the middle.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "support/child_process.h"
#include "support/deadline.h"
#include "support/file_content.h"
#include "support/temp_dir.h"

namespace comch::uring::test {
namespace {

using namespace comch::test;

std::ptrdiff_t lines_of(const std::string& text) { return std::ranges::count(text, '\n'); }

// A file that who opens it waits for, because it is leased: who does is in the middle of its work
// for as long as that is wanted.
class HeldFile {
 public:
  explicit HeldFile(const std::filesystem::path& path)
      : fd_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
    // The signal that tells of who opens it; this one is ignored when nobody handles it.
    is_held_ = ::fcntl(fd_, F_SETSIG, SIGURG) == 0 && ::fcntl(fd_, F_SETLEASE, F_WRLCK) == 0;
  }
  ~HeldFile() { ::close(fd_); }
  HeldFile(const HeldFile&) = delete;
  HeldFile& operator=(const HeldFile&) = delete;

  // False: its file system has no leases.
  bool is_held() const { return is_held_; }
  bool is_wanted() const { return ::fcntl(fd_, F_GETLEASE) == F_UNLCK; }
  void let_go() const { EXPECT_EQ(::fcntl(fd_, F_SETLEASE, F_UNLCK), 0); }

 private:
  const int fd_;
  bool is_held_;
};

struct FileMover : testing::Test {
  ChildProcess receive() const {
    auto receiver = ChildProcess::exec(
        {"uring_receive_files", "--name", "mover", "--to", to.path().string()}, received);
    EXPECT_TRUE(eventually([&] { return content_of(received).contains("receiving"); }));
    return receiver;
  }
  std::vector<std::string> sender() const {
    return {"uring_send_files", "--name", "mover", "--from", from.path().string()};
  }
  ChildProcess send() const { return ChildProcess::exec(sender(), sent); }
  void make(const std::string& name, std::uintmax_t size) const {
    std::ofstream(from / name) << "";
    std::filesystem::resize_file(from / name, size);
  }

  const RuntimeDirectory runtime;
  const TempDir from;
  const TempDir to;
  const std::filesystem::path received = runtime.path() / "received";
  const std::filesystem::path sent = runtime.path() / "sent";
};

TEST_F(FileMover, WhatCannotBeReadForADirectoryIsToldInOneLineAndNotRaised) {
  std::filesystem::create_symlink("loop", from / "loop");
  std::ofstream(from / "file") << "text";
  for (const auto& path : {from / "loop", from / "file", from / "file" / "below"}) {
    for (const auto& [program, option] :
         {std::pair("uring_send_files", "--from"), std::pair("uring_receive_files", "--to")}) {
      const auto said = run_program({program, option, path.string()});
      ASSERT_TRUE(said);
      EXPECT_EQ(said->exit, Exit::with(1)) << program << ' ' << path;
      EXPECT_EQ(lines_of(said->output), 1) << said->output;
      EXPECT_TRUE(said->output.starts_with(program)) << said->output;
    }
  }
}

TEST_F(FileMover, WhatIsLeftOutIsNamedAndTheOthersArrive) {
  std::ofstream(from / "good") << "text";
  std::filesystem::create_symlink("good", from / "link");
  std::filesystem::create_directory(from / "inner");
  auto receiver = receive();
  const auto said = run_program(sender());
  ASSERT_TRUE(said);
  EXPECT_EQ(said->exit, Exit::with(0)) << said->output;
  EXPECT_TRUE(said->output.contains("inner: left out")) << said->output;
  EXPECT_TRUE(said->output.contains("all 2 files are whole")) << said->output;
  EXPECT_EQ(receiver.wait(), Exit::with(0)) << content_of(received);
  EXPECT_EQ(to.entries(), (std::vector<std::string>{"good", "link"}));
  EXPECT_EQ(content_of(to / "link"), "text");
}

TEST_F(FileMover, AFileThatCannotBeLookedAtIsNamedAndIsAFailure) {
  std::ofstream(from / "good") << "text";
  std::filesystem::create_symlink("loop", from / "loop");
  std::filesystem::create_symlink("nowhere", from / "gone");
  const std::string long_name(250, 'n');
  std::ofstream(from / long_name) << "text";
  auto receiver = receive();
  const auto said = run_program(sender());
  ASSERT_TRUE(said);
  EXPECT_EQ(said->exit, Exit::with(1)) << said->output;
  for (const std::string& name : {std::string("loop"), std::string("gone"), long_name}) {
    EXPECT_TRUE(said->output.contains(name + ": left out")) << said->output;
  }
  EXPECT_TRUE(said->output.contains("all 1 files are whole")) << said->output;
  EXPECT_EQ(receiver.wait(), Exit::with(0)) << content_of(received);
  EXPECT_EQ(content_of(to / "good"), "text");
}

TEST_F(FileMover, MoreFilesThanMayBeOpenAtATimeAreSent) {
  for (int n = 0; n < 200; ++n) make(std::to_string(n), 1);
  auto receiver = receive();
  const auto said = run_program({"sh", "-c", R"(ulimit -n 100; exec "$@")", "sh",
                                 "uring_send_files", "--name", "mover", "--from", from.path()});
  ASSERT_TRUE(said);
  EXPECT_EQ(said->exit, Exit::with(0)) << said->output;
  EXPECT_EQ(said->output, "all 200 files are whole\n");
  EXPECT_EQ(receiver.wait(), Exit::with(0)) << content_of(received);
}

TEST_F(FileMover, NothingIsWrittenThroughALinkInTheDirectoryOfTheReceiver) {
  const std::filesystem::path outside = runtime.path() / "outside";
  std::ofstream(outside) << "not to be touched";
  std::filesystem::create_symlink(outside, to / "file");
  std::ofstream(from / "file") << "text";
  auto receiver = receive();
  auto sender = send();
  EXPECT_EQ(receiver.wait(), Exit::with(1));
  EXPECT_EQ(sender.wait(), Exit::with(1));
  EXPECT_TRUE(content_of(received).contains("file: ")) << content_of(received);
  EXPECT_EQ(content_of(outside), "not to be touched");
  EXPECT_TRUE(std::filesystem::is_symlink(to / "file"));
}

TEST_F(FileMover, WhatIsNoFileInTheDirectoryOfTheReceiverIsNotWaitedFor) {
  ASSERT_EQ(::mkfifo((to / "empty").c_str(), 0600), 0);
  make("empty", 0);
  auto receiver = receive();
  auto sender = send();
  EXPECT_EQ(receiver.wait(), Exit::with(1));
  EXPECT_EQ(sender.wait(), Exit::with(1));
  EXPECT_TRUE(content_of(received).contains("empty: ")) << content_of(received);
}

// In the middle of a file: of its 20 pieces the receiver has room for 8, and it waits to open what
// it writes them to. The others are read when it goes on.
struct HeldFileMover : FileMover {
  void SetUp() override {
    make("large", 20'000'000);
    if (!held.is_held()) GTEST_SKIP() << "there are no leases";
    receiving.emplace(receive());
    sending.emplace(send());
    ASSERT_TRUE(eventually([&] { return held.is_wanted(); }));
  }

  const HeldFile held{to / "large"};
  std::optional<ChildProcess> receiving;
  std::optional<ChildProcess> sending;
};

TEST_F(HeldFileMover, AReceiverThatIsKilledInTheMiddleEndsTheSenderWithAFailure) {
  receiving->kill(SIGKILL);
  EXPECT_EQ(receiving->wait(), Exit::by_signal(SIGKILL));
  EXPECT_EQ(sending->wait(), Exit::with(1));
  EXPECT_EQ(lines_of(content_of(sent)), 1) << content_of(sent);
}

TEST_F(HeldFileMover, AFileThatBecomesShorterWhileItIsSentIsNamed) {
  std::filesystem::resize_file(from / "large", 1000);
  held.let_go();
  EXPECT_EQ(sending->wait(), Exit::with(1));
  EXPECT_TRUE(content_of(sent).contains("large: ")) << content_of(sent);
  EXPECT_TRUE(content_of(sent).contains("become shorter")) << content_of(sent);
  EXPECT_EQ(receiving->wait(), Exit::with(1));
  EXPECT_TRUE(content_of(received).contains("left early")) << content_of(received);
}

}  // namespace
}  // namespace comch::uring::test
