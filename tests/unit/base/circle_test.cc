// Circle: first in, first out, round and round.
#include "base/circle.h"

#include <gtest/gtest.h>

namespace comch {
namespace {

TEST(CircleTest, HoldsAsManyAsItSaysAndGivesThemBackInOrder) {
  Circle<int, 4> circle;
  EXPECT_TRUE(circle.empty());
  for (int n = 0; n < 4; ++n) {
    EXPECT_FALSE(circle.full());
    circle.push_back(n);
  }
  EXPECT_TRUE(circle.full());
  for (int n = 0; n < 4; ++n) {
    EXPECT_EQ(circle.front(), n);
    circle.pop_front();
  }
  EXPECT_TRUE(circle.empty());
}

TEST(CircleTest, CountsFromTheFrontWhereverThatIs) {
  Circle<int, 4> circle;
  for (int n = 0; n < 100; ++n) {
    circle.push_back(n);
    circle.push_back(n + 1);
    EXPECT_EQ(circle[0], n);
    EXPECT_EQ(circle[1], n + 1);
    circle[1] = -1;
    circle.pop_front();
    EXPECT_EQ(circle.front(), -1);
    circle.pop_front();
    EXPECT_EQ(circle.size(), 0U);
  }
}

TEST(CircleTest, AppendsAThingAsItsPlaceWasLeft) {
  Circle<int, 2> circle;
  circle.append() = 7;
  circle.push_back(8);
  circle.pop_front();
  EXPECT_EQ(circle.append(), 7);
  EXPECT_EQ(circle.size(), 2U);
  EXPECT_EQ(circle.front(), 8);
}

}  // namespace
}  // namespace comch
