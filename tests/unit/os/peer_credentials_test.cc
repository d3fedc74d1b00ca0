// Credentials: the kernel's word about the process at the other end.
#include "os/peer_credentials.h"

#include <grp.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <numeric>
#include <vector>

#include "os/directory.h"
#include "os/seq_socket.h"
#include "support/child_process.h"
#include "support/temp_dir.h"
#include "unit/os/rigged_syscalls.h"

namespace comch::os {
namespace {

TEST(CredentialsTest, AreThoseOfTheProcessThatConnected) {
  const test::TempDir temporary;
  const Fd directory = open_directory(temporary.path().c_str()).value();
  const Fd listener = listen_at(directory, "s", 4).value();
  test::Gate connected, looked;
  auto peer = test::ChildProcess::run([&] {
    const Fd caller = connect_at(directory, "s").value();
    connected.open();
    return looked.wait() ? 0 : 1;
  });
  ASSERT_TRUE(connected.wait());
  const Fd callee = std::move(accept(listener).value().value());
  const Credentials who = peer_credentials(callee).value();
  EXPECT_EQ(who.pid, peer.pid());
  EXPECT_EQ(who.uid, ::geteuid());
  EXPECT_EQ(who.gid, ::getegid());
  looked.open();
  EXPECT_EQ(peer.wait(), test::Exit::with(0));
}

TEST(CredentialsTest, ASocketThatIsNoneHasNone) {
  EXPECT_EQ(peer_credentials(Fd()).error().sys, EBADF);
  EXPECT_TRUE(peer_groups(Fd()).empty());
}

TEST(CredentialsTest, GroupsAreThePeersSupplementaryOnesFewOrMany) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can take groups";
  for (const std::size_t count : {0u, 3u, 32u, 33u, 1000u}) {
    auto child = test::ChildProcess::run([count] {
      std::vector<gid_t> groups(count);
      std::iota(groups.begin(), groups.end(), 5000u);
      EXPECT_EQ(::setgroups(groups.size(), groups.data()), 0);
      const auto [left, right] = pair().value();
      EXPECT_EQ(peer_groups(left), std::vector<std::uint32_t>(groups.begin(), groups.end()));
      return 0;
    });
    EXPECT_EQ(child.wait(), test::Exit::with(0)) << count << " groups";
  }
}

TEST(CredentialsTest, AKernelThatCannotTellTheGroupsTellsNone) {
  const auto [left, right] = pair().value();
  test::RiggedSyscalls rig({.nth = 1, .sys = ENOPROTOOPT});
  EXPECT_TRUE(peer_groups(left).empty());
}

}  // namespace
}  // namespace comch::os
