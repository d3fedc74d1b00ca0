// SeqSocket: names, backlogs, and running out of descriptors.
#include "os/seq_socket.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "os/directory.h"
#include "os/packet.h"
#include "support/child_process.h"
#include "support/temp_dir.h"
#include "unit/os/rigged_syscalls.h"

namespace comch::os {
namespace {

struct SeqSocketTest : testing::Test {
  test::TempDir temporary;
  Fd directory = open_directory(temporary.path().c_str()).value();
};

TEST_F(SeqSocketTest, ACallerIsAcceptedOnce) {
  const Fd listener = listen_at(directory, "s", 4).value();
  EXPECT_FALSE(accept(listener).value());
  const Fd caller = connect_at(directory, "s").value();
  const std::optional<Fd> callee = accept(listener).value();
  ASSERT_TRUE(callee);
  EXPECT_FALSE(accept(listener).value());
  EXPECT_TRUE(send(caller, std::as_bytes(std::span("hello"))));
  std::array<std::byte, 16> buffer;
  EXPECT_EQ(receive(*callee, buffer).value().size, sizeof "hello");
}

TEST_F(SeqSocketTest, ACallerSendsNoDescriptorsBeforeItIsLetTo) {
  const Fd listener = listen_at(directory, "s", 4).value();
  const Fd caller = connect_at(directory, "s").value();
  const auto say = [&] { return send(caller, {}, std::array{caller.get()}); };
  const Status early = say();
  const Fd callee = std::move(accept(listener).value().value());
  const Status accepted = say();
  take_descriptors(callee);
  EXPECT_TRUE(say());
  EXPECT_EQ(early.has_value(), accepted.has_value());
  // Before Linux 6.16 the kernel lets all of them through.
  EXPECT_TRUE(early || early.error().sys == EPERM);
}

TEST_F(SeqSocketTest, EverySocketIsNonBlockingAndCloseOnExec) {
  const Fd listener = listen_at(directory, "s", 4).value();
  const Fd caller = connect_at(directory, "s").value();
  const Fd callee = std::move(accept(listener).value().value());
  const auto [left, right] = pair().value();
  for (const Fd* fd : {&listener, &caller, &callee, &left, &right}) {
    EXPECT_NE(::fcntl(fd->get(), F_GETFL) & O_NONBLOCK, 0);
    EXPECT_NE(::fcntl(fd->get(), F_GETFD) & FD_CLOEXEC, 0);
  }
}

TEST_F(SeqSocketTest, AnybodyMayConnectWhateverTheUmask) {
  const mode_t before = ::umask(0077);
  const Fd listener = listen_at(directory, "s", 4).value();
  ::umask(before);
  struct stat found = {};
  ASSERT_EQ(::stat((temporary / "s").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 07777u, 0666u);
}

TEST_F(SeqSocketTest, ThePathOfTheDirectoryMayBeLongerThanASocketAddress) {
  std::string path = temporary.path();
  for (int i = 0; i < 5; ++i) path += "/" + std::string(100, 'd');
  const Fd deep = make_directories(path.c_str(), 0755).value();
  const std::string name(kSocketNameMax, 'n');
  const Fd listener = listen_at(deep, name.c_str(), 4).value();
  EXPECT_TRUE(connect_at(deep, name.c_str()));
}

TEST_F(SeqSocketTest, ANameIsOnePartOfAPathAndNotTooLong) {
  const std::string long_name(kSocketNameMax + 1, 'n');
  EXPECT_EQ(listen_at(directory, long_name.c_str(), 4).error().code, Errc::too_big);
  EXPECT_EQ(connect_at(directory, long_name.c_str()).error().code, Errc::too_big);
  EXPECT_EQ(listen_at(directory, "", 4).error().code, Errc::invalid_value);
  EXPECT_EQ(listen_at(directory, "a/b", 4).error().code, Errc::invalid_value);
  EXPECT_EQ(connect_at(directory, "../s").error().code, Errc::invalid_value);
}

TEST_F(SeqSocketTest, ATakenNameIsRefusedUntilItIsUnlinked) {
  {
    const Fd dead = listen_at(directory, "s", 4).value();
  }
  EXPECT_EQ(listen_at(directory, "s", 4).error().code, Errc::already_exist);
  EXPECT_TRUE(unlink_at(directory, "s"));
  EXPECT_TRUE(listen_at(directory, "s", 4));
}

TEST_F(SeqSocketTest, NobodyListensWhereNobodyDidOrWhoDidIsGone) {
  EXPECT_EQ(connect_at(directory, "s").error().code, Errc::not_found);
  {
    const Fd dead = listen_at(directory, "s", 4).value();
  }
  const Result<Fd> caller = connect_at(directory, "s");
  EXPECT_EQ(caller.error().code, Errc::not_found);
  EXPECT_EQ(to_errno(caller.error()), ENOENT);
}

TEST_F(SeqSocketTest, AFullBacklogSaysTryAgain) {
  const Fd listener = listen_at(directory, "s", 1).value();
  std::vector<Fd> callers;
  for (;;) {
    Result<Fd> caller = connect_at(directory, "s");
    if (!caller) {
      EXPECT_EQ(caller.error().code, Errc::again);
      break;
    }
    callers.push_back(std::move(*caller));
    ASSERT_LT(callers.size(), 10u);
  }
  ASSERT_TRUE(accept(listener).value());
  EXPECT_TRUE(connect_at(directory, "s"));
}

TEST_F(SeqSocketTest, AFailedListenLeavesNoName) {
  for (std::uint64_t nth = 4; nth <= 5; ++nth) {  // The mode, and listening.
    {
      test::RiggedSyscalls rig({.nth = nth, .sys = EIO});
      EXPECT_EQ(listen_at(directory, "s", 4).error().sys, EIO);
    }
    EXPECT_TRUE(temporary.entries().empty());
  }
}

TEST_F(SeqSocketTest, ACallerThatGaveUpIsPassedOver) {
  const Fd listener = listen_at(directory, "s", 4).value();
  const Fd caller = connect_at(directory, "s").value();
  test::RiggedSyscalls rig({.nth = 1, .sys = ECONNABORTED});
  EXPECT_TRUE(accept(listener).value());
}

TEST_F(SeqSocketTest, CallersThatGiveUpForEverDoNotHoldUs) {
  const Fd listener = listen_at(directory, "s", 4).value();
  test::RiggedSyscalls rig({.nth = 1, .sys = ECONNABORTED, .sticky = true});
  EXPECT_FALSE(accept(listener).value());
}

// With no descriptor left but the reserve: in a child, whose limit is its own.
TEST_F(SeqSocketTest, TheReserveHangsUpOnACallerWhoCannotBeAccepted) {
  auto child = test::ChildProcess::run([&] {
    const Fd listener = listen_at(directory, "s", 4).value();
    ReserveFd reserve = ReserveFd::create().value();
    const Fd caller = connect_at(directory, "s").value();
    // The limit is on new numbers, and the reserve's has to stay below it.
    const auto numbers = static_cast<rlim_t>(caller.get()) + 1;
    const rlimit limit{.rlim_cur = numbers, .rlim_max = numbers};
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
    std::vector<Fd> fill;
    for (;;) {
      Fd fd(::fcntl(caller.get(), F_DUPFD_CLOEXEC, 0));
      if (!fd) break;
      fill.push_back(std::move(fd));
    }
    const Result<std::optional<Fd>> refused = accept(listener);
    EXPECT_EQ(refused.error().code, Errc::operating_system);
    EXPECT_EQ(refused.error().sys, EMFILE);
    EXPECT_TRUE(reserve.refuse_one(listener));
    EXPECT_TRUE(reserve.held());
    EXPECT_FALSE(reserve.refuse_one(listener));
    EXPECT_TRUE(reserve.held());
    std::array<std::byte, 1> buffer;
    EXPECT_TRUE(receive(caller, buffer).value().end);
    return 0;
  });
  EXPECT_EQ(child.wait(), test::Exit::with(0));
}

}  // namespace
}  // namespace comch::os
