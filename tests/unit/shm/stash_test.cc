// The contract of Stash, one thread at a time; the interleavings are desk_model's.
#include "shm/stash.h"

#include <gtest/gtest.h>

#include <array>

namespace comch::shm {
namespace {

struct StashTest : testing::Test {
  using Room4 = Stash<FastMachine, 4>;

  static Posted descriptor(std::uint16_t n) {
    return {.offset = n, .capacity = kMaxPostedCapacity, .index = n};
  }
  void fill(std::uint16_t from, std::uint32_t count) {
    const Room4::Word word = stash.look();
    for (std::uint32_t n = 0; n < count; ++n) {
      stash.fill(word.high() + n, descriptor(static_cast<std::uint16_t>(from + n)));
    }
    stash.extend(word, count);
  }

  Room4 stash;
  std::array<Posted, 8> out;
};

TEST_F(StashTest, WhatWasFilledCountsWhenTheStashIsExtended) {
  stash.fill(0, descriptor(7));
  EXPECT_EQ(stash.take(out), 0U);
  stash.extend(stash.look(), 1);
  ASSERT_EQ(stash.take(out), 1U);
  EXPECT_EQ(out[0], descriptor(7));
  EXPECT_EQ(stash.take(out), 0U);
}

TEST_F(StashTest, AStashThatHasChangedIsNotExtended) {
  const Room4::Word old = stash.look();
  fill(0, 2);
  ASSERT_EQ(stash.take(out), 2U);
  stash.extend(old, 2);
  EXPECT_EQ(stash.take(out), 0U);
}

TEST_F(StashTest, PutBacksComeOutFirstUntilThereIsNoRoom) {
  fill(0, 2);
  EXPECT_TRUE(stash.put_back(descriptor(8)));
  EXPECT_TRUE(stash.put_back(descriptor(9)));
  EXPECT_FALSE(stash.put_back(descriptor(10)));
  ASSERT_EQ(stash.take(out), 4U);
  EXPECT_EQ(out[0], descriptor(9));
  EXPECT_EQ(out[1], descriptor(8));
  EXPECT_EQ(out[2], descriptor(0));
}

TEST_F(StashTest, CountsOfSixteenBitsComeRoundManyTimes) {
  for (std::uint32_t n = 0; n < 300'000; ++n) {
    fill(static_cast<std::uint16_t>(n), 3);
    ASSERT_EQ(stash.take(std::span(out).first(2)), 2U);
    ASSERT_EQ(out[1], descriptor(static_cast<std::uint16_t>(n + 1)));
    ASSERT_TRUE(stash.put_back(out[1]));
    ASSERT_EQ(stash.take(out), 2U);
    ASSERT_EQ(out[1], descriptor(static_cast<std::uint16_t>(n + 2)));
  }
}

TEST_F(StashTest, ASeatBelongsToOneAtATime) {
  EXPECT_TRUE(stash.sit_down());
  EXPECT_FALSE(stash.sit_down());
  stash.stand_up();
  EXPECT_TRUE(stash.sit_down());
}

}  // namespace
}  // namespace comch::shm
