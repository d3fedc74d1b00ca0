// Files between two processes: the example, run as its users run it, and a peer that is killed
// while the kernel reads into its memory.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <random>

#include "support/child_process.h"
#include "support/deadline.h"
#include "support/file_content.h"
#include "support/temp_dir.h"
#include "uring/ends.h"

namespace comch::uring::test {
namespace {

TEST(FileExample, MovesTheFilesOfADirectoryAndSaysThatTheyAreWhole) {
  const RuntimeDirectory runtime;
  const TempDir from;
  const TempDir to;
  const std::uint64_t seed = comch::test::seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (const std::size_t size : {0U, 1U, 4096U, 1U << 20U, (1U << 20U) + 1U, 5'000'000U}) {
    std::string text(size, ' ');
    for (char& c : text) c = static_cast<char>(random());
    std::ofstream(from / std::to_string(size), std::ios::binary) << text;
  }
  std::ofstream(from / "sparse") << "";
  std::filesystem::resize_file(from / "sparse", 3'000'000);
  std::ofstream(to / "1") << "what was there before is longer";

  auto receiver =
      ChildProcess::exec({"uring_receive_files", "--name", "moved", "--to", to.path().string()},
                         runtime.path() / "out");
  ASSERT_TRUE(eventually([&] { return content_of(runtime.path() / "out").contains("receiving"); }));
  const auto sender =
      run_program({"uring_send_files", "--name", "moved", "--from", from.path().string()});
  ASSERT_TRUE(sender);
  EXPECT_EQ(sender->exit, Exit::with(0)) << sender->output;
  EXPECT_EQ(sender->output, "all 7 files are whole\n");
  EXPECT_EQ(receiver.wait(), Exit::with(0)) << content_of(runtime.path() / "out");
  EXPECT_EQ(to.entries(), from.entries());
  for (const std::string& name : from.entries()) {
    EXPECT_TRUE(content_of(to / name) == content_of(from / name)) << name;
  }
}

TEST(FileExample, ASenderWithoutReceiverAndAReceiverWhoseClientLeavesEarlySaySo) {
  const RuntimeDirectory runtime;
  const TempDir to;
  const auto sender = run_program({"uring_send_files", "--name", "nobody", "--from", "/"});
  ASSERT_TRUE(sender);
  EXPECT_EQ(sender->exit, Exit::with(1)) << sender->output;
  auto receiver =
      ChildProcess::exec({"uring_receive_files", "--name", "moved", "--to", to.path().string()},
                         runtime.path() / "out");
  ASSERT_TRUE(eventually([&] { return content_of(runtime.path() / "out").contains("receiving"); }));
  const auto left = run_program({"ping_client", "--name", "moved", "--count", "0"});
  ASSERT_TRUE(left);
  EXPECT_EQ(receiver.wait(), Exit::with(1));
  EXPECT_TRUE(content_of(runtime.path() / "out").contains("left early"));
}

TEST(FileExample, ADirectoryThatIsNoneIsToldBeforeAnybodyIsCalled) {
  const RuntimeDirectory runtime;
  for (const auto& [program, option] :
       {std::pair("uring_send_files", "--from"), std::pair("uring_receive_files", "--to")}) {
    const auto said = run_program({program, option, runtime.path() / "nowhere"});
    ASSERT_TRUE(said);
    EXPECT_EQ(said->exit, Exit::with(1));
    EXPECT_TRUE(said->output.contains("no directory")) << said->output;
  }
}

constexpr std::uint64_t kReceive = 1, kFile = 2, kPipe = 3, kStore = 4;

// The server sends a file again and again, to a client that is killed; a pipe is in the middle
// of its message then, and a message is awaited for a file.
TEST(FileTwoProcesses, APeerThatIsKilledInTheMiddleOfAFileEndsEveryTransferOnce) {
  const RuntimeDirectory runtime;
  const Gate serving;
  const Gate busy;
  constexpr std::size_t kRoom = 1 << 16U;
  auto peer = client_process(serving, [&](Partner& partner) {
    RingEnds ends(partner, {}, kRoom);
    ends.receive_all(kReceive);
    for (std::uint64_t heard = 0;; heard += ends.ring->ready()) {
      if (heard > 1000) busy.open();
      ends.ring->advance(ends.ring->ready());
      std::ignore = ends.ring->submit_and_wait(1, 1s);
    }
  });
  Partner partner(Partner::Role::kServer, {.queue = 16});
  ASSERT_TRUE(partner.serve(serving));
  const TempDir dir;
  std::ofstream(dir / "file") << std::string(kRoom, 'x');
  const int file = ::open((dir / "file").c_str(), O_RDWR | O_CLOEXEC);
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
  {
    RingEnds ends(partner, {}, kRoom);
    std::ignore = ends.ring->register_memory(*ends.to);
    ends.next(kStore).prep_recv_file(*ends.from, ends.pool[0], file, kRoom);
    ends.next(kPipe).prep_send_file(*ends.to, pipe[0], 100);
    ASSERT_EQ(::write(pipe[1], "half", 4), 4);
    std::uint64_t prepared = 0, over = 0;
    std::int64_t last = 1, stored = 1, piped = 1;
    bool killed = false;
    std::string rest(96, 'y');
    const Deadline deadline;
    while ((over < prepared || stored > 0 || piped > 0) && !deadline.passed()) {
      while (last > 0 && ends.ring->space() > 8) {
        ends.next(kFile).prep_send_file(*ends.to, file, kRoom, 0);
        ++prepared;
      }
      const auto waited = ends.ring->submit_and_wait(1, 100ms);
      ASSERT_TRUE(waited || waited.error().code == Errc::time_out) << describe(waited.error());
      ends.ring->advance(ends.ring->for_each([&](const Completion& c) {
        if (c.user_data == kStore) stored = c.res;
        if (c.user_data == kPipe) piped = c.res;
        if (c.user_data != kFile) return;
        ++over;
        if (last > 0) last = c.res;
      }));
      if (!killed && over > 2000) {
        ASSERT_TRUE(busy.wait());
        peer.kill(SIGKILL);
        killed = true;
      }
      // The rest of the pipe's message comes when nobody is there any more.
      if (stored < 0 && last < 0 && !rest.empty()) {
        EXPECT_EQ(::write(pipe[1], rest.data(), rest.size()), 96);
        rest.clear();
      }
    }
    EXPECT_TRUE(killed);
    EXPECT_EQ(over, prepared);
    EXPECT_EQ(last, -ECONNRESET);
    EXPECT_EQ(stored, -ECONNRESET);
    EXPECT_EQ(piped, -ECONNRESET);
  }
  EXPECT_EQ(peer.wait(), Exit::by_signal(SIGKILL));
  for (const int fd : {file, pipe[0], pipe[1]}) ::close(fd);
}

}  // namespace
}  // namespace comch::uring::test
