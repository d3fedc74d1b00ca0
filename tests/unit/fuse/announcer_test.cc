// Announcer: its thread and its end, over a directory where mkdir and rmdir ask nobody.
#include "announcer.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <filesystem>
#include <string>

#include "support/deadline.h"
#include "support/temp_dir.h"

namespace comch::fuse {
namespace {

struct AnnouncerTest : testing::Test {
  AnnouncerTest() { EXPECT_TRUE(announcer.start(directory.path().string(), nullptr)); }
  // As the loop does, which sleeps until the descriptor says something.
  template <class Over>
  bool run_until(Over&& over) {
    const test::Deadline deadline;
    while (!over()) {
      pollfd done{.fd = announcer.done_fd(), .events = POLLIN, .revents = 0};
      if (::poll(&done, 1, deadline.left_ms()) == 0) return false;
      announcer.collect();
    }
    return true;
  }
  bool is_there(const std::string& name) const {
    return std::filesystem::is_directory(directory / name);
  }

  test::TempDir directory;
  Announcer announcer;
};

TEST_F(AnnouncerTest, MakesADirectoryAndSaysSoAndTakesItAway) {
  int done = 0;
  announcer.appear("conn0", [&] { ++done; });
  ASSERT_TRUE(run_until([&] { return done == 1; }));
  EXPECT_TRUE(is_there("conn0"));
  announcer.vanish("conn0", 1, [&] { ++done; });
  ASSERT_TRUE(run_until([&] { return done == 2; }));
  EXPECT_FALSE(is_there("conn0"));
}

TEST_F(AnnouncerTest, ItsEndIsToldAndBehindItNothingBegins) {
  EXPECT_FALSE(announcer.has_ended());
  announcer.quit();
  ASSERT_TRUE(run_until([&] { return announcer.has_ended(); }));
  bool done = false;
  announcer.appear("late", [&] { done = true; });
  announcer.stop();
  EXPECT_FALSE(done);
  EXPECT_FALSE(is_there("late"));
}

TEST_F(AnnouncerTest, WhileItEndsNobodySleepsForEver) {
  EXPECT_EQ(announcer.timeout_ms(), -1);
  announcer.quit();
  EXPECT_GT(announcer.timeout_ms(), 0);
}

TEST(Announcer, OneThatWasNotStartedHasEnded) {
  Announcer announcer;
  EXPECT_TRUE(announcer.has_ended());
}

}  // namespace
}  // namespace comch::fuse
