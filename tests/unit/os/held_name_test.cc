// HeldName: a name has one living owner. rendezvous_test.cc has owners that come and go together.
#include "os/held_name.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/child_process.h"
#include "support/temp_dir.h"

namespace comch::os {
namespace {

constexpr const char* kTaken = "it is taken";

struct HeldNameTest : testing::Test {
  test::RuntimeDirectory runtime;
};

TEST_F(HeldNameTest, IsTakenOnceAndItsTakerIsTold) {
  const HeldName name = HeldName::take("echo", kTaken).value();
  const Result<HeldName> second = HeldName::take("echo", kTaken);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Errc::already_exist);
  EXPECT_STREQ(second.error().what, kTaken);
  EXPECT_TRUE(HeldName::take("other", kTaken));
}

TEST_F(HeldNameTest, LeavesNothingAndIsFreeAgain) {
  {
    HeldName first = HeldName::take("echo", kTaken).value();
    const HeldName moved = std::move(first);
    EXPECT_EQ(HeldName::take("echo", kTaken).error().code, Errc::already_exist);
  }
  EXPECT_EQ(runtime.entries(), std::vector<std::string>{});
  EXPECT_TRUE(HeldName::take("echo", kTaken));
}

TEST_F(HeldNameTest, OfADeadOwnerIsTakenOverWithWhatLiesThere) {
  const test::Gate taken;
  auto owner = test::ChildProcess::run([&] {
    const HeldName name = HeldName::take("echo", kTaken).value();
    std::ofstream(runtime.path() / "echo" / "stale") << "x";
    taken.open();
    ::pause();
    return 0;
  });
  ASSERT_TRUE(taken.wait());
  owner.kill(SIGKILL);
  ASSERT_TRUE(owner.wait());
  {
    const Result<HeldName> name = HeldName::take("echo", kTaken);
    ASSERT_TRUE(name);
    EXPECT_TRUE(std::filesystem::exists(runtime.path() / "echo" / "stale"));
  }
  EXPECT_EQ(runtime.entries(), std::vector<std::string>{"echo"}) << "it is not empty";
}

}  // namespace
}  // namespace comch::os
