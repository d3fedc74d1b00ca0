// Tests of fuse/permission.h: what a directory's mode makes of its files.
#include "permission.h"

#include <gtest/gtest.h>

namespace comch::fuse {
namespace {

constexpr Direction kIn{.readable = true};
constexpr Direction kOut{.writable = true};
constexpr Direction kBoth{.readable = true, .writable = true};

TEST(PermissionTest, WhoMayOnlyLookAtADirectoryGetsNoMessage) {
  EXPECT_EQ(stream_mode(0755, kIn), 0400U);
  EXPECT_EQ(stream_mode(0755, kOut), 0200U);
  EXPECT_EQ(attribute_mode(0755, kIn), 0444U);
}

TEST(PermissionTest, WhoMayWriteInADirectoryMayUseItsStreams) {
  EXPECT_EQ(stream_mode(0770, kIn), 0440U);
  EXPECT_EQ(stream_mode(0777, kBoth), 0666U);
  EXPECT_EQ(attribute_mode(0770, kBoth), 0660U);
}

TEST(PermissionTest, PrivateDirectoryHasPrivateFiles) {
  EXPECT_EQ(attribute_mode(0700, kBoth), 0600U);
  EXPECT_EQ(stream_mode(0700, kOut), 0200U);
}

}  // namespace
}  // namespace comch::fuse
