// Lock file: one holder, freed by death, and no lock of a name that is gone.
#include "os/lock_file.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "os/directory.h"
#include "support/child_process.h"
#include "support/temp_dir.h"
#include "unit/os/rigged_syscalls.h"

namespace comch::os {
namespace {

struct LockFileTest : testing::Test {
  test::TempDir temporary;
  Fd directory = open_directory(temporary.path().c_str()).value();
};

TEST_F(LockFileTest, HasOneHolderAtATime) {
  Result<Fd> lock = lock_at(directory, "lock");
  ASSERT_TRUE(lock);
  const Result<Fd> second = lock_at(directory, "lock");
  EXPECT_EQ(second.error().code, Errc::already_exist);
  EXPECT_EQ(to_errno(second.error()), EEXIST);
  lock->reset();
  EXPECT_TRUE(lock_at(directory, "lock"));
}

TEST_F(LockFileTest, IsNobodyElsesToOpen) {
  const Fd lock = lock_at(directory, "lock").value();
  struct stat found = {};
  ASSERT_EQ(::fstat(lock.get(), &found), 0);
  EXPECT_EQ(found.st_mode & 07777u, 0600u);
}

TEST_F(LockFileTest, IsFreeTheMomentItsHolderIsKilled) {
  test::Gate held;
  auto holder = test::ChildProcess::run([&] {
    const Fd lock = lock_at(directory, "lock").value();
    held.open();
    for (;;) ::pause();
    return 0;
  });
  ASSERT_TRUE(held.wait());
  EXPECT_EQ(lock_at(directory, "lock").error().code, Errc::already_exist);
  holder.kill(SIGKILL);
  ASSERT_EQ(holder.wait(), test::Exit::by_signal(SIGKILL));
  EXPECT_TRUE(lock_at(directory, "lock"));
}

// The last holder removes the file after we have opened it and before we lock it.
TEST_F(LockFileTest, AFileThatLostItsNameMeanwhileIsNoLock) {
  static const LockFileTest* self = nullptr;
  static int removed = 0;
  self = this;
  removed = 0;
  Syscalls racing = kKernel;
  racing.flock = [](int fd, int operation) {
    if (removed < 3) {
      ++removed;
      EXPECT_EQ(::unlinkat(self->directory.get(), "lock", 0), 0);
    }
    return kKernel.flock(fd, operation);
  };
  const ScopedSyscalls scope(racing);
  const Fd lock = lock_at(directory, "lock").value();
  EXPECT_EQ(removed, 3);
  struct stat ours = {};
  struct stat named = {};
  ASSERT_EQ(::fstat(lock.get(), &ours), 0);
  ASSERT_EQ(::stat((temporary / "lock").c_str(), &named), 0);
  EXPECT_EQ(ours.st_ino, named.st_ino);
}

TEST_F(LockFileTest, AFileThatAlwaysLosesItsNameIsGivenUp) {
  static const LockFileTest* self = nullptr;
  self = this;
  Syscalls racing = kKernel;
  racing.flock = [](int fd, int operation) {
    ::unlinkat(self->directory.get(), "lock", 0);
    return kKernel.flock(fd, operation);
  };
  const ScopedSyscalls scope(racing);
  EXPECT_EQ(lock_at(directory, "lock").error().code, Errc::already_exist);
}

TEST_F(LockFileTest, OnlyARegularFileIsALock) {
  std::filesystem::create_symlink(temporary / "elsewhere", temporary / "link");
  EXPECT_EQ(lock_at(directory, "link").error().code, Errc::not_permitted);
  EXPECT_FALSE(std::filesystem::exists(temporary / "elsewhere"));
  ASSERT_EQ(::mkfifo((temporary / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(lock_at(directory, "fifo").error().code, Errc::not_permitted);
  std::filesystem::create_directory(temporary / "directory");
  EXPECT_EQ(lock_at(directory, "directory").error().code, Errc::not_permitted);
}

TEST_F(LockFileTest, WhoSharesItIsWaitedForWhileWhoHoldsItIsNot) {
  static int pauses = 0;
  pauses = 0;
  lock_at(directory, "lock").value().reset();
  static Fd shared;
  shared = share_lock_at(directory, "lock").value();
  Syscalls waiting = kKernel;
  waiting.poll = [](pollfd*, nfds_t, int) {
    if (++pauses == 3) shared.reset();
    return 0;
  };
  const ScopedSyscalls scope(waiting);
  const Fd lock = lock_at(directory, "lock").value();
  EXPECT_EQ(pauses, 3);
  EXPECT_EQ(lock_at(directory, "lock").error().code, Errc::already_exist);
  EXPECT_EQ(pauses, 3);
}

TEST_F(LockFileTest, WhoSharesItForEverIsNotWaitedForSoLong) {
  lock_at(directory, "lock").value().reset();
  const Fd shared = share_lock_at(directory, "lock").value();
  Syscalls waiting = kKernel;
  waiting.poll = [](pollfd*, nfds_t, int) { return 0; };
  const ScopedSyscalls scope(waiting);
  EXPECT_EQ(lock_at(directory, "lock").error().code, Errc::already_exist);
}

TEST_F(LockFileTest, OnlyWhatIsThereAndFreeIsShared) {
  EXPECT_EQ(share_lock_at(directory, "lock").error().code, Errc::not_found);
  const Fd lock = lock_at(directory, "lock").value();
  EXPECT_EQ(share_lock_at(directory, "lock").error().code, Errc::already_exist);
}

}  // namespace
}  // namespace comch::os
