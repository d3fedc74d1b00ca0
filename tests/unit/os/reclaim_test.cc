// Reclaim: what killed owners left goes, and nothing else; who takes a name meanwhile gets it.
#include "os/reclaim.h"

#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "os/directory.h"
#include "os/held_name.h"
#include "support/child_process.h"
#include "support/deadline.h"
#include "support/temp_dir.h"

namespace comch::os {
namespace {

namespace fs = std::filesystem;
using test::ChildProcess;
using test::Exit;
using Names = std::vector<std::string>;

struct ReclaimTest : testing::Test {
  fs::path at(const std::string& name) const { return runtime.path() / name; }
  // As a killed server leaves it.
  void leave(const std::string& name) const {
    fs::create_directory(at(name));
    for (const char* file : {kLockFile, kSocketFile}) std::ofstream(at(name) / file).flush();
  }
  void reclaim() const { reclaim_names(open_directory(runtime.path().c_str()).value()); }
  static HeldName take(const std::string& name) { return HeldName::take(name, "taken").value(); }

  test::RuntimeDirectory runtime;
};

TEST_F(ReclaimTest, NamesWithoutAnOwnerGo) {
  leave("0000:b1:00.0+one");
  leave("rdma:siw0:0000:b1:00.0+two");
  reclaim();
  EXPECT_EQ(runtime.entries(), Names{});
}

TEST_F(ReclaimTest, ANameThatIsHeldStays) {
  const HeldName name = take("0000:b1:00.0+echo");
  std::ofstream(at("0000:b1:00.0+echo") / kSocketFile).flush();
  reclaim();
  EXPECT_TRUE(fs::exists(at("0000:b1:00.0+echo") / kLockFile));
  EXPECT_TRUE(fs::exists(at("0000:b1:00.0+echo") / kSocketFile));
  fs::remove(at("0000:b1:00.0+echo") / kSocketFile);
}

TEST_F(ReclaimTest, WhatIsNoNameStays) {
  leave("no-plus");
  fs::create_directory(at("just+empty"));
  leave("a+linked-lock");
  fs::remove(at("a+linked-lock") / kLockFile);
  fs::create_symlink(at("no-plus") / kLockFile, at("a+linked-lock") / kLockFile);
  leave("a+full-lock");
  std::ofstream(at("a+full-lock") / kLockFile) << "somebody's words";
  std::ofstream(at("a+file")).flush();
  leave("elsewhere");
  fs::create_directory_symlink(at("elsewhere"), at("a+link"));
  const Names before = runtime.entries();
  reclaim();
  EXPECT_EQ(runtime.entries(), before);
  for (const char* name : {"no-plus", "a+linked-lock", "a+full-lock", "elsewhere"}) {
    EXPECT_TRUE(fs::exists(at(name) / kSocketFile)) << name;
  }
}

TEST_F(ReclaimTest, WhatALockDoesNotExplainStays) {
  leave("a+b");
  std::ofstream(at("a+b") / "notes") << "of somebody";
  reclaim();
  EXPECT_TRUE(fs::exists(at("a+b") / "notes"));
}

TEST_F(ReclaimTest, AnothersNameStays) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make something that is another's";
  leave("a+directory");
  ASSERT_EQ(::chown(at("a+directory").c_str(), 65534, 65534), 0);
  leave("a+lock");
  ASSERT_EQ(::chown((at("a+lock") / kLockFile).c_str(), 65534, 65534), 0);
  reclaim();
  EXPECT_EQ(runtime.entries(), (Names{"a+directory", "a+lock"}));
}

TEST_F(ReclaimTest, OneCallDoesABoundedAmountAndManyDoAll) {
  for (std::size_t n = 0; n < 3 * kNamesExamined; ++n) leave("a+" + std::to_string(n));
  reclaim();
  EXPECT_EQ(runtime.entries().size(), 2 * kNamesExamined);
  EXPECT_TRUE(test::eventually([&] {
    reclaim();
    return runtime.entries().empty();
  }));
}

TEST_F(ReclaimTest, OneAtATimeDoesIt) {
  leave("a+b");
  const Fd turn(::open(runtime.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ASSERT_EQ(::flock(turn.get(), LOCK_EX), 0);
  reclaim();
  EXPECT_EQ(runtime.entries(), Names{"a+b"});
}

TEST_F(ReclaimTest, WhoeverTakesANameSeesToOthers) {
  leave("a+b");
  EXPECT_TRUE(test::eventually([&] {
    const HeldName name = take("c+d");  // Not each time, but soon again.
    return !fs::exists(at("a+b"));
  }));
}

// A server that comes back to the name it was killed with is never told that it is taken.
TEST_F(ReclaimTest, ANameThatIsJustReclaimedCanBeTaken) {
  const test::Gate enough;
  ChildProcess reclaimer = ChildProcess::run([&] {
    while (!enough.wait(test::Deadline(std::chrono::milliseconds(0)))) reclaim();
    return 0;
  });
  for (int n = 0; n < 1000; ++n) {
    fs::create_directory(at("a+b"));
    std::ofstream(at("a+b") / kLockFile).flush();
    const Result<HeldName> name = HeldName::take("a+b", "taken");
    ASSERT_TRUE(name) << "at " << n << ": " << describe(name.error());
    ASSERT_TRUE(fs::exists(at("a+b") / kLockFile)) << "at " << n;
  }
  enough.open();
  EXPECT_EQ(reclaimer.wait(), Exit::with(0));
  EXPECT_EQ(runtime.entries(), Names{});
}

}  // namespace
}  // namespace comch::os
