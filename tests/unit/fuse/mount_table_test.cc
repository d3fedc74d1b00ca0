// Tests of fuse/mount_table.h: lines of /proc/self/mountinfo.
#include "mount_table.h"

#include <gtest/gtest.h>

namespace comch::fuse {
namespace {

constexpr std::string_view kTable =
    "22 1 0:21 / / rw,relatime shared:1 - ext4 /dev/root rw\n"
    "30 22 0:40 / /comch rw,nosuid - fuse.comchfs comch rw,user_id=0\n"
    "31 22 0:41 / /my\\040mount rw - fuse.comchfs comch rw\n"
    "32 22 0:42 / /both rw - tmpfs tmpfs rw\n"
    "33 22 0:43 / /both rw master:2 propagate_from:1 - fuse.comchfs comch rw\n"
    "short line\n";

TEST(MountTableTest, FindsTheTypeBehindAnyNumberOfOptionalFields) {
  EXPECT_EQ(mount_type_at(kTable, "/"), "ext4");
  EXPECT_EQ(mount_type_at(kTable, "/comch"), kOwnType);
}

TEST(MountTableTest, TopmostMountIsTheLastOne) {
  EXPECT_EQ(mount_type_at(kTable, "/both"), kOwnType);
}

TEST(MountTableTest, EscapedCharactersAreReadAsTheyAre) {
  EXPECT_EQ(mount_type_at(kTable, "/my mount"), kOwnType);
  EXPECT_FALSE(mount_type_at(kTable, "/my\\040mount"));
}

TEST(MountTableTest, WhatIsNotMountedHasNoType) {
  EXPECT_FALSE(mount_type_at(kTable, "/comch/servers"));
  EXPECT_FALSE(mount_type_at("", "/"));
}

TEST(MountTableTest, OwnTableHasARoot) { EXPECT_TRUE(mount_type_at(read_mount_table(), "/")); }

}  // namespace
}  // namespace comch::fuse
