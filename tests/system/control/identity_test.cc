// Identity: whom a server lets in, by the kernel's word about who calls.
#include <grp.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <functional>
#include <memory>

#include "support/child_process.h"
#include "support/temp_dir.h"
#include "unit/comch/parties.h"

namespace comch {
namespace {

constexpr std::uint32_t kNobody = 65534;
constexpr std::uint32_t kGuests = 4711;  // A group of nobody's.

struct IdentityTest : testing::Test {
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
    using enum std::filesystem::perms;
    std::filesystem::permissions(runtime.path(),
                                 owner_all | group_read | group_exec | others_read | others_exec);
  }

  // What became of a client in a process of user nobody: 0 when it was let in, else the
  // Errc; -1 when something else went wrong. `seen` is whom the server saw.
  int nobody_calls(const AccessList& access, std::optional<Identity> acting = std::nullopt) {
    const test::Gate serving;
    auto stranger = test::ChildProcess::run([&] {
      const std::array<gid_t, 1> groups{kGuests};
      EXPECT_EQ(::setgroups(groups.size(), groups.data()), 0);
      EXPECT_EQ(::setresgid(kNobody, kNobody, kNobody), 0);
      EXPECT_EQ(::setresuid(kNobody, kNobody, kNobody), 0);
      EXPECT_TRUE(serving.wait());
      return call(acting);
    });
    return serve_until_end(stranger, access, serving);
  }

  int root_calls(const AccessList& access, Identity acting) {
    const test::Gate serving;
    auto root = test::ChildProcess::run([&] {
      EXPECT_TRUE(serving.wait());
      return call(acting);
    });
    return serve_until_end(root, access, serving);
  }

  static int call(std::optional<Identity> acting) {
    auto engine = ProgressEngine::create().value();
    test::ClientParty client(*engine, {.acting = acting});
    if (!client.connect()) return static_cast<int>(client->failure().error.code);
    EXPECT_EQ(client.connection().peer().uid, 0u) << "the server is root's";
    client->stop().value();
    EXPECT_TRUE(client.run_until_idle());
    return 0;
  }

  int serve_until_end(test::ChildProcess& caller, const AccessList& access,
                      const test::Gate& serving) {
    auto engine = ProgressEngine::create().value();
    test::ServerParty server(*engine, {.access = access});
    server.then_connected = [this](Connection& connection) { seen = connection.peer(); };
    server->start().value();
    serving.open();
    std::optional<test::Exit> exit;
    const auto over = [&] {
      exit = caller.wait(test::Deadline(std::chrono::milliseconds(0)));
      return exit.has_value();
    };
    if (!test::until(*engine, over)) return -1;
    refused = server->refused();
    return exit->signal == 0 ? exit->code : -1;
  }

  static constexpr int kRefused = static_cast<int>(Errc::authentication);
  test::RuntimeDirectory runtime;
  PeerIdentity seen;
  std::uint64_t refused = 0;
};

TEST_F(IdentityTest, AnotherUserIsRefusedByDefault) {
  EXPECT_EQ(nobody_calls({}), kRefused);
  EXPECT_EQ(refused, 1u);
}

TEST_F(IdentityTest, AUserOnTheListIsAdmittedAndSeenAsTheKernelKnowsIt) {
  EXPECT_EQ(nobody_calls({.uids = {kNobody}, .gids = {}}), 0);
  EXPECT_EQ(seen.uid, kNobody);
  EXPECT_EQ(seen.gid, kNobody);
  EXPECT_EQ(seen.acting_uid, kNobody);
  EXPECT_EQ(seen.acting_gid, kNobody);
}

TEST_F(IdentityTest, AGroupOnTheListIsAdmittedAlsoWhenItIsASupplementaryOne) {
  EXPECT_EQ(nobody_calls({.uids = {}, .gids = {kNobody}}), 0);
  EXPECT_EQ(nobody_calls({.uids = {}, .gids = {kGuests}}), 0);
  EXPECT_EQ(nobody_calls({.uids = {}, .gids = {kGuests + 1}}), kRefused);
}

TEST_F(IdentityTest, EveryoneIsAdmittedWhenTheListSaysSo) {
  EXPECT_EQ(nobody_calls({.uids = {}, .gids = {}, .everyone = true}), 0);
}

TEST_F(IdentityTest, OnlyRootIsBelievedWhomItActsFor) {
  const AccessList everyone{.uids = {}, .gids = {}, .everyone = true};
  EXPECT_EQ(nobody_calls(everyone, Identity{0, 0}), kRefused);
  EXPECT_EQ(nobody_calls(everyone, Identity{1000, kNobody}), kRefused);
  EXPECT_EQ(nobody_calls(everyone, Identity{kNobody, 0}), kRefused) << "a group it is not in";
  EXPECT_EQ(nobody_calls(everyone, Identity{kNobody, kNobody}), 0);
  EXPECT_EQ(nobody_calls(everyone, Identity{kNobody, kGuests}), 0);
}

TEST_F(IdentityTest, RootThatActsForAnotherIsAskedAsThatOther) {
  EXPECT_EQ(root_calls({}, Identity{kNobody, kNobody}), kRefused);
  EXPECT_EQ(root_calls({.uids = {kNobody}, .gids = {}}, Identity{kNobody, 5}), 0);
  EXPECT_EQ(seen.uid, 0u);
  EXPECT_EQ(seen.acting_uid, kNobody);
  EXPECT_EQ(seen.acting_gid, 5u);
}

}  // namespace
}  // namespace comch
