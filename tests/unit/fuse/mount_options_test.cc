// Tests of fuse/mount_options.h: what may stand behind -o.
#include "mount_options.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>

namespace comch::fuse {
namespace {

struct MountOptionsTest : testing::Test {
  // True when `list` was understood.
  bool parse(std::string_view list, bool sloppy = false) {
    const auto parsed = parse_mount_options(list, sloppy, options);
    complaint = parsed ? "" : parsed.error();
    return parsed.has_value();
  }

  MountOptions options;
  std::string complaint;
};

TEST_F(MountOptionsTest, DefaultsShowBothSidesStartObjectsAndLetOthersIn) {
  ASSERT_TRUE(parse("defaults"));
  EXPECT_TRUE(options.shows_servers() && options.shows_clients());
  EXPECT_TRUE(options.autostart);
  EXPECT_TRUE(options.allow_other);
  EXPECT_FALSE(options.allow_other_asked);
}

TEST_F(MountOptionsTest, WhatMountAndFstabPassOnIsAccepted) {
  EXPECT_TRUE(parse("rw,dev,suid"));
  EXPECT_TRUE(parse("rw,_netdev,nofail,x-systemd.automount,comment=mine,user,noauto"));
}

TEST_F(MountOptionsTest, SideShowsThatSideOnly) {
  ASSERT_TRUE(parse("side=host"));
  EXPECT_FALSE(options.shows_servers());
  ASSERT_TRUE(parse("side=dpu"));
  EXPECT_FALSE(options.shows_clients());
}

TEST_F(MountOptionsTest, LastWordWins) {
  ASSERT_TRUE(parse("noautostart,autostart,allow_other,noallow_other"));
  EXPECT_TRUE(options.autostart);
  EXPECT_FALSE(options.allow_other);
}

TEST_F(MountOptionsTest, InsistingOnAllowOtherIsRemembered) {
  ASSERT_TRUE(parse("allow_other"));
  EXPECT_TRUE(options.allow_other_asked);
}

TEST_F(MountOptionsTest, KernelsFlagsAreHandedOn) {
  ASSERT_TRUE(parse("ro,noexec,noatime,fsname=here"));
  EXPECT_EQ(options.kernel, (std::vector<std::string>{"ro", "noexec", "noatime"}));
  EXPECT_EQ(options.source, "here");
}

TEST_F(MountOptionsTest, MemoryIsBytesOrHasAUnit) {
  EXPECT_EQ(options.user_memory, quarter_of_memory());
  EXPECT_GT(options.user_memory, std::uint64_t{1} << 20U);
  for (const auto& [word, bytes] : {std::pair<const char*, std::uint64_t>{"4096", 4096},
                                    {"1K", 1024},
                                    {"512M", 536'870'912},
                                    {"4G", 4'294'967'296},
                                    {"0", 0},
                                    {"17179869183G", 17'179'869'183ULL << 30U}}) {
    ASSERT_TRUE(parse((std::string("user_memory=") + word).c_str())) << word;
    EXPECT_EQ(options.user_memory, bytes) << word;
  }
  for (const char* word : {"", "G", "much", "-1", "1T", "1 M", "17179869184G"}) {
    EXPECT_FALSE(parse((std::string("user_memory=") + word).c_str())) << word;
  }
}

TEST_F(MountOptionsTest, UnknownWordsAreErrorsThatNameThem) {
  EXPECT_FALSE(parse("rw,sdie=dpu"));
  EXPECT_EQ(complaint, "unknown option 'sdie=dpu'");
  EXPECT_FALSE(parse("side=left"));
  EXPECT_FALSE(parse("user_objects=many"));
  EXPECT_FALSE(parse("autostart=1"));
}

TEST_F(MountOptionsTest, MountAnewIsRefusedAlsoToTheSloppy) {
  for (const bool sloppy : {false, true}) {
    EXPECT_FALSE(parse("remount,ro", sloppy));
    EXPECT_EQ(complaint, "no option of a mount can be changed; umount first");
  }
}

TEST_F(MountOptionsTest, SloppyPassesOverUnknownWordsButNotOverWrongValues) {
  EXPECT_TRUE(parse("uquota,side=dpu", true));
  EXPECT_FALSE(parse("side=left", true));
}

}  // namespace
}  // namespace comch::fuse
