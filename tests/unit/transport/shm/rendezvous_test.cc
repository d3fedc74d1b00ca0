// Rendezvous: names are taken, found, and free again however their owner went.
#include "transport/shm/rendezvous.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "support/child_process.h"
#include "support/temp_dir.h"

namespace comch::transport::shm {
namespace {

constexpr const char* kFunction = "0000:b1:00.0";
constexpr const char* kOtherFunction = "0000:b1:00.1";

struct RendezvousTest : testing::Test {
  test::RuntimeDirectory runtime;
};

TEST_F(RendezvousTest, ANameIsTakenOncePerFunction) {
  const Berth berth = Berth::take(kFunction, "echo").value();
  EXPECT_EQ(Berth::take(kFunction, "echo").error().code, Errc::already_exist);
  EXPECT_TRUE(Berth::take(kOtherFunction, "echo"));
  EXPECT_TRUE(Berth::take(kFunction, "ech"));
  EXPECT_TRUE(call(kFunction, "echo")) << "losing the name to somebody changes nothing for him";
}

TEST_F(RendezvousTest, ANameIsFreeAgainAndNothingIsLeftWhenItsBerthIsGone) {
  {
    const Berth berth = Berth::take(kFunction, "echo").value();
  }
  EXPECT_EQ(runtime.entries(), std::vector<std::string>{});
  EXPECT_EQ(call(kFunction, "echo").error().code, Errc::not_found);
  EXPECT_TRUE(Berth::take(kFunction, "echo"));
}

TEST_F(RendezvousTest, EverybodyFindsAServerWhateverItsUmask) {
  const mode_t before = ::umask(0077);
  const Berth berth = Berth::take(kFunction, "echo").value();
  ::umask(before);
  const auto mode = [&](const std::string& name) {
    struct stat found = {};
    EXPECT_EQ(::stat((runtime.path() / name).c_str(), &found), 0) << name;
    return found.st_mode & 0777U;
  };
  const std::string place = berth_name(kFunction, "echo");
  EXPECT_EQ(mode(place), 0755U);
  EXPECT_EQ(mode(place + "/socket"), 0666U);
}

TEST_F(RendezvousTest, ABerthThatMovesKeepsItsName) {
  Berth first = Berth::take(kFunction, "echo").value();
  const Berth second = std::move(first);
  EXPECT_TRUE(call(kFunction, "echo"));
  EXPECT_EQ(Berth::take(kFunction, "echo").error().code, Errc::already_exist);
}

TEST_F(RendezvousTest, TheNameOfAKilledOwnerIsFreeAtOnce) {
  const test::Gate taken;
  auto owner = test::ChildProcess::run([&] {
    const Berth berth = Berth::take(kFunction, "echo").value();
    taken.open();
    ::pause();
    return 0;
  });
  ASSERT_TRUE(taken.wait());
  EXPECT_EQ(Berth::take(kFunction, "echo").error().code, Errc::already_exist);
  owner.kill(SIGKILL);
  ASSERT_TRUE(owner.wait());
  EXPECT_EQ(call(kFunction, "echo").error().code, Errc::not_found) << "its socket is stale";
  const Result<Berth> taken_over = Berth::take(kFunction, "echo");
  ASSERT_TRUE(taken_over);
  EXPECT_TRUE(call(kFunction, "echo"));
}

TEST_F(RendezvousTest, TheLongestNameWorks) {
  const std::string name(119, 'n');
  const Result<Berth> berth = Berth::take(kFunction, name);
  ASSERT_TRUE(berth);
  EXPECT_TRUE(call(kFunction, name));
}

TEST_F(RendezvousTest, ADirectoryThatMayNotBeWrittenIsNotPermitted) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become a user who may not write here";
  using enum std::filesystem::perms;
  std::filesystem::permissions(runtime.path(),
                               owner_all | group_read | group_exec | others_read | others_exec);
  auto stranger = test::ChildProcess::run([] {
    EXPECT_EQ(::setresgid(65534, 65534, 65534), 0);
    EXPECT_EQ(::setresuid(65534, 65534, 65534), 0);
    EXPECT_EQ(Berth::take(kFunction, "echo").error().code, Errc::not_permitted);
    return 0;
  });
  EXPECT_EQ(stranger.wait(), test::Exit::with(0));
}

// Owners that come and go as fast as they can: at most one has the name at any time, and
// nobody is told anything but "taken".
TEST_F(RendezvousTest, OwnersThatComeAndGoNeverShareTheName) {
  const auto come_and_go = [] {
    int had = 0;
    for (int i = 0; i < 2000; ++i) {
      const Result<Berth> berth = Berth::take(kFunction, "echo");
      if (berth) {
        EXPECT_EQ(Berth::take(kFunction, "echo").error().code, Errc::already_exist);
        EXPECT_TRUE(call(kFunction, "echo"));
        ++had;
      } else {
        EXPECT_EQ(berth.error().code, Errc::already_exist) << describe(berth.error());
      }
    }
    EXPECT_GT(had, 0);
    return 0;
  };
  auto first = test::ChildProcess::run(come_and_go);
  auto second = test::ChildProcess::run(come_and_go);
  auto third = test::ChildProcess::run(come_and_go);
  EXPECT_EQ(first.wait(), test::Exit::with(0));
  EXPECT_EQ(second.wait(), test::Exit::with(0));
  EXPECT_EQ(third.wait(), test::Exit::with(0));
  EXPECT_EQ(runtime.entries(), std::vector<std::string>{});
}

}  // namespace
}  // namespace comch::transport::shm
