// PeerFile of a file system that has stopped answering: nobody waits for it.
#include "os/peer_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <optional>

#include "os/slow_close.h"
#include "support/deadline.h"
#include "support/mount.h"

namespace comch::test {
namespace {

TEST(PeerFileOfATreeTest, NobodyWaitsForAFileSystemThatDoesNotAnswer) {
  if (auto reason = Mount::unavailable()) GTEST_SKIP() << *reason;
  Mount tree;
  ASSERT_TRUE(tree.ready()) << tree.log();
  os::Fd fd(::open((tree / "metrics").c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_TRUE(fd);
  tree.daemon().kill(SIGSTOP);
  // A call that waits is ended by the test's time limit.
  EXPECT_TRUE(os::is_regular_file(fd));
  EXPECT_TRUE(os::is_cached_file(fd)) << "by all that is known of it";
  {
    const os::PeerFile file(std::move(fd), std::nullopt);
    std::array<std::byte, 16> room{};
    EXPECT_FALSE(file.read(room, 0));
  }
  tree.daemon().kill(SIGCONT);
  EXPECT_TRUE(eventually([] { return os::slow_jobs() == 0; }));
}

}  // namespace
}  // namespace comch::test
