// Spin: what is learned from how long waits took.
#include "uring/spin.h"

#include <gtest/gtest.h>

namespace comch::uring::test {
namespace {

using namespace std::chrono_literals;

TEST(SpinTest, ShortWaitsAreSpunThroughAndLongOnesSlept) {
  Spin spin(std::nullopt);
  EXPECT_TRUE(spin.learns());
  EXPECT_GT(spin.budget(), 0ns);
  for (int n = 0; n < 50; ++n) spin.learn(10us);
  EXPECT_GE(spin.budget(), 10us);
  EXPECT_LE(spin.budget(), 40us);
  for (int n = 0; n < 50; ++n) spin.learn(1s);
  EXPECT_EQ(spin.budget(), 0ns);
}

TEST(SpinTest, AFewShortWaitsAfterLongOnesAreEnoughToSpinAgain) {
  Spin spin(std::nullopt);
  for (int n = 0; n < 50; ++n) spin.learn(1h);
  // Slept through, they take as long as a wake-up.
  int waits = 0;
  while (spin.budget() == 0ns && waits < 20) {
    spin.learn(60us);
    ++waits;
  }
  EXPECT_LE(waits, 8);
}

TEST(SpinTest, NeverLongerThanTheMost) {
  Spin spin(std::nullopt);
  for (int n = 0; n < 50; ++n) spin.learn(Spin::kWorthwhile);
  EXPECT_EQ(spin.budget(), Spin::kMost);
}

TEST(SpinTest, WhatIsSetIsNotLearned) {
  Spin off(0ns);
  Spin fixed(7us);
  for (int n = 0; n < 50; ++n) {
    off.learn(1us);
    fixed.learn(1s);
  }
  EXPECT_FALSE(off.learns());
  EXPECT_EQ(off.budget(), 0ns);
  EXPECT_EQ(fixed.budget(), 7us);
}

}  // namespace
}  // namespace comch::uring::test
