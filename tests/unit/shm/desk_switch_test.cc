// The contract of DeskSwitch, one thread at a time: who has a desk alone, and how the second
// producer ends that. The interleavings are switch_model's.
#include "shm/desk_switch.h"

#include <gtest/gtest.h>

#include "shm/fast_machine.h"

namespace comch::shm {
namespace {

struct DeskSwitchTest : testing::Test {
  using Switch = DeskSwitch<FastMachine>;

  Attach enter() {
    return desk.enter(in_take, [this] { ++barriers; });
  }
  bool take_alone() {
    return desk.alone(in_take, [this] { ++takes; });
  }

  Switch desk{false};
  Switch::InTake in_take{0};
  int barriers = 0;
  int takes = 0;
};

TEST_F(DeskSwitchTest, TheFirstProducerHasItAloneAndNeedsNoBarrier) {
  EXPECT_EQ(enter(), Attach::kAttached);
  EXPECT_TRUE(take_alone());
  EXPECT_EQ(takes, 1);
  EXPECT_EQ(barriers, 0);
  EXPECT_FALSE(desk.shared());
}

TEST_F(DeskSwitchTest, NobodyWorksAloneBeforeOneHasEntered) {
  EXPECT_FALSE(take_alone());
  EXPECT_EQ(takes, 0);
}

TEST_F(DeskSwitchTest, FromTheSecondOnItIsSharedForEverBehindOneBarrier) {
  EXPECT_EQ(enter(), Attach::kAttached);
  EXPECT_EQ(enter(), Attach::kAttached);
  EXPECT_TRUE(desk.shared());
  EXPECT_EQ(enter(), Attach::kAttached);
  EXPECT_EQ(barriers, 1);
  EXPECT_FALSE(take_alone());
  EXPECT_EQ(takes, 0);
}

TEST_F(DeskSwitchTest, WhoComesDuringATakeIsAskedToComeAgain) {
  EXPECT_EQ(enter(), Attach::kAttached);
  EXPECT_TRUE(desk.alone(in_take, [this] { EXPECT_EQ(enter(), Attach::kAgain); }));
  EXPECT_FALSE(desk.shared()) << "the take that was under way had it alone";
  EXPECT_EQ(enter(), Attach::kAttached);
  EXPECT_TRUE(desk.shared());
  EXPECT_EQ(barriers, 1) << "the barrier of the first try counts";
}

TEST_F(DeskSwitchTest, TheSoleProducerEndsASwitchThatItMeets) {
  EXPECT_EQ(enter(), Attach::kAttached);
  desk.alone(in_take, [this] { EXPECT_EQ(enter(), Attach::kAgain); });
  EXPECT_FALSE(take_alone());
  EXPECT_TRUE(desk.shared()) << "though the second producer never came back";
}

TEST_F(DeskSwitchTest, WhoHadItAloneIsToldThatItHasNotAndEndsASwitchWhenItAsksAgain) {
  EXPECT_EQ(enter(), Attach::kAttached);
  const auto take = [this] { return desk.still_alone(in_take, [this] { ++takes; }); };
  EXPECT_TRUE(take());
  EXPECT_TRUE(desk.still_alone(in_take, [this] { EXPECT_EQ(enter(), Attach::kAgain); }));
  EXPECT_FALSE(take());
  EXPECT_EQ(takes, 1);
  EXPECT_FALSE(desk.shared());
  EXPECT_FALSE(take_alone());
  EXPECT_TRUE(desk.shared());
}

TEST_F(DeskSwitchTest, WhatIsBrokenStaysSo) {
  EXPECT_EQ(enter(), Attach::kAttached);
  desk.break_for_good();
  EXPECT_TRUE(desk.broken());
  EXPECT_FALSE(take_alone());
  EXPECT_EQ(enter(), Attach::kBroken);
  EXPECT_TRUE(desk.broken());
  EXPECT_FALSE(desk.shared());
}

TEST_F(DeskSwitchTest, ABreakWithinASwitchIsNotUndoneByIt) {
  EXPECT_EQ(enter(), Attach::kAttached);
  EXPECT_EQ(desk.enter(in_take, [this] { desk.break_for_good(); }), Attach::kBroken);
  EXPECT_TRUE(desk.broken());
}

}  // namespace
}  // namespace comch::shm
