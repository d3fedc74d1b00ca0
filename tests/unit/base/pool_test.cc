// Pool: every object once, the last one back first, and none made in between.
#include "base/pool.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

namespace comch {
namespace {

struct Item {
  Item() { ++alive; }
  ~Item() { --alive; }
  Item(const Item&) = delete;
  Item& operator=(const Item&) = delete;
  int value = 0;
  static inline int alive = 0;
};

struct PoolTest : testing::Test {
  Pool<Item> pool = Pool<Item>::create(3).value();
};

TEST_F(PoolTest, LendsEveryObjectOnceThenNone) {
  std::set<Item*> lent;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(lent.insert(pool.acquire()).second);
  EXPECT_EQ(lent.count(nullptr), 0u);
  EXPECT_TRUE(pool.full());
  EXPECT_EQ(pool.acquire(), nullptr);
  EXPECT_EQ(pool.in_use(), 3u);
}

TEST_F(PoolTest, LendsTheLastOneBackFirst) {
  Item* first = pool.acquire();
  Item* second = pool.acquire();
  pool.release(first);
  pool.release(second);
  EXPECT_EQ(pool.in_use(), 0u);
  EXPECT_EQ(pool.acquire(), second);
  EXPECT_EQ(pool.acquire(), first);
}

TEST_F(PoolTest, MakesItsObjectsOnceAndKeepsThem) {
  EXPECT_EQ(Item::alive, 3);
  Item* thing = pool.acquire();
  thing->value = 7;
  pool.release(thing);
  EXPECT_EQ(pool.acquire()->value, 7);
  EXPECT_EQ(Item::alive, 3);
  pool = Pool<Item>();
  EXPECT_EQ(Item::alive, 0);
}

TEST_F(PoolTest, KnowsItsObjectsAndWhichAreOut) {
  Item* thing = pool.acquire();
  Item stranger;
  EXPECT_TRUE(pool.owns(thing));
  EXPECT_FALSE(pool.owns(&stranger));
  EXPECT_FALSE(pool.owns(nullptr));
  EXPECT_FALSE(pool.owns(pool.all().data() + 3));
  EXPECT_TRUE(pool.is_lent(*thing));
  pool.release(thing);
  EXPECT_FALSE(pool.is_lent(*thing));
  for (std::size_t i = 0; i < pool.size(); ++i) EXPECT_EQ(pool.index_of(pool.all()[i]), i);
}

TEST_F(PoolTest, WhatIsOutCanBeWalkedAndGivenBackMeanwhile) {
  Item* first = pool.acquire();
  Item* second = pool.acquire();
  Item* third = pool.acquire();
  pool.release(second);
  std::vector<Item*> seen;
  pool.for_each_lent([&](Item& thing) {
    seen.push_back(&thing);
    pool.release(&thing);
  });
  EXPECT_EQ(seen, (std::vector<Item*>{first, third}));
  EXPECT_EQ(pool.in_use(), 0u);
}

TEST_F(PoolTest, KeepsItsObjectsInPlaceWhenItMoves) {
  Item* thing = pool.acquire();
  Pool<Item> moved(std::move(pool));
  EXPECT_TRUE(moved.owns(thing));
  EXPECT_EQ(moved.in_use(), 1u);
  EXPECT_EQ(pool.size(), 0u);  // NOLINT(bugprone-use-after-move): that it is empty is the point.
  EXPECT_EQ(pool.acquire(), nullptr);
  pool = std::move(moved);
  pool.release(thing);
  EXPECT_EQ(pool.acquire(), thing);
}

TEST(EmptyPool, LendsNothingAndOwnsNothing) {
  Pool<int> pool = Pool<int>::create(0).value();
  int stranger = 0;
  EXPECT_EQ(pool.acquire(), nullptr);
  EXPECT_FALSE(pool.owns(&stranger));
  EXPECT_TRUE(pool.all().empty());
}

TEST(HugePool, IsRefused) {
  EXPECT_EQ(Pool<char>::create(0xffff'ffff).error().code, Errc::invalid_value);
}

#ifndef NDEBUG  // The sanitizers' builds have assertions, a release has none to test.
TEST(PoolDeathTest, TakesBackOnlyWhatIsOut) {
  Pool<int> pool = Pool<int>::create(1).value();
  int* object = pool.acquire();
  pool.release(object);
  EXPECT_DEATH(pool.release(object), "is_lent");
  int stranger = 0;
  EXPECT_DEATH(pool.release(&stranger), "owns");
}
#endif

}  // namespace
}  // namespace comch
