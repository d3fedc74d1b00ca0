// Access: whom a server's list admits.
#include "comch/access.h"

#include <gtest/gtest.h>

#include <array>

namespace comch {
namespace {

constexpr Identity kOwner{.uid = 1000, .gid = 1000};

PeerIdentity user(std::uint32_t uid, std::uint32_t gid = 4000) {
  return {.uid = uid, .gid = gid, .pid = 1, .acting_uid = uid, .acting_gid = gid};
}

TEST(AccessTest, AnEmptyListAdmitsRootAndTheOwnerOnly) {
  EXPECT_TRUE(admits({}, kOwner, user(0), {}));
  EXPECT_TRUE(admits({}, kOwner, user(1000), {}));
  EXPECT_FALSE(admits({}, kOwner, user(1001), {}));
  EXPECT_FALSE(admits({}, kOwner, user(1001, 1000), {})) << "the owner's group is not the owner";
}

TEST(AccessTest, AListAdmitsTheUsersAndGroupsInIt) {
  const AccessList list{.uids = {1001, 1002}, .gids = {27}};
  EXPECT_TRUE(admits(list, kOwner, user(1002), {}));
  EXPECT_FALSE(admits(list, kOwner, user(1003), {}));
  EXPECT_TRUE(admits(list, kOwner, user(1003, 27), {}));
  EXPECT_TRUE(admits(list, kOwner, user(1003), std::array<std::uint32_t, 2>{5, 27}));
  EXPECT_FALSE(admits(list, kOwner, user(1003), std::array<std::uint32_t, 2>{5, 6}));
}

TEST(AccessTest, EveryoneIsEveryone) {
  EXPECT_TRUE(admits({.uids = {}, .gids = {}, .everyone = true}, kOwner, user(65534), {}));
}

TEST(AccessTest, WhoActsForAnotherIsAskedAsThatOther) {
  PeerIdentity root_for_another = user(0);
  root_for_another.acting_uid = 1001;
  root_for_another.acting_gid = 4000;
  EXPECT_FALSE(admits({}, kOwner, root_for_another, {}));
  EXPECT_TRUE(admits({.uids = {1001}, .gids = {}}, kOwner, root_for_another, {}));
}

}  // namespace
}  // namespace comch
