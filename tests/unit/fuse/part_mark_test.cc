// Tests of fuse/part_mark.h: which immediate data marks a part, and which does not.
#include "part_mark.h"

#include <gtest/gtest.h>

#include <string_view>

#include "support/bytes.h"

namespace comch::fuse {
namespace {

using test::bytes;

TEST(PartMarkTest, EachMarkIsReadAsItWasWritten) {
  for (const PartMark mark : {PartMark::kMore, PartMark::kLast, PartMark::kCutShort}) {
    EXPECT_EQ(part_mark_of(with_part_mark(mark, {})), mark);
    EXPECT_EQ(part_mark_of(with_part_mark(mark, bytes("imm"))), mark);
  }
}

TEST(PartMarkTest, ImmediateDataFollowsTheMark) {
  const auto marked = with_part_mark(PartMark::kMore, bytes("imm"));
  const auto expected = bytes("comchfs+imm");
  EXPECT_TRUE(std::ranges::equal(marked, expected));
}

TEST(PartMarkTest, OtherImmediateDataIsNoMark) {
  for (const std::string_view text :
       {"", "c", "comchfs", "comchfs?", "Comchfs+", "xcomchfs+", "comchfS."})
    EXPECT_EQ(part_mark_of(bytes(text)), std::nullopt) << text;
}

TEST(PartMarkTest, WhateverBeginsLikeAMarkLooksLikeOne) {
  EXPECT_TRUE(looks_like_a_mark(bytes("comchfs")));
  EXPECT_TRUE(looks_like_a_mark(bytes("comchfs?")));
  EXPECT_FALSE(looks_like_a_mark(bytes("comchf")));
  EXPECT_FALSE(looks_like_a_mark(bytes("")));
}

}  // namespace
}  // namespace comch::fuse
