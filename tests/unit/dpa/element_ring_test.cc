// ElementRing: elements until they are acknowledged.
#include "dpa/element_ring.h"

#include <gtest/gtest.h>

namespace comch::dpa {
namespace {

TEST(ElementRingTest, IsFullUntilTheOldestIsAcknowledged) {
  ElementRing<int> ring;
  ring.reset(2);
  for (const int value : {1, 2}) {
    ASSERT_FALSE(ring.full());
    ring.next() = value;
    ring.take();
  }
  EXPECT_TRUE(ring.full());
  EXPECT_TRUE(ring.acknowledge(1));
  EXPECT_FALSE(ring.full());
  EXPECT_EQ(ring.next(), 1) << "the place of the oldest is the next";
}

TEST(ElementRingTest, AcknowledgesNoMoreThanWereTaken) {
  ElementRing<int> ring;
  ring.reset(4);
  ring.take();
  EXPECT_FALSE(ring.acknowledge(2));
  EXPECT_FALSE(ring.acknowledge(~std::uint64_t{0}));
  EXPECT_TRUE(ring.acknowledge(0));
  EXPECT_TRUE(ring.acknowledge(1));
  EXPECT_FALSE(ring.acknowledge(1));
}

TEST(ElementRingTest, IsEmptyWhenAllThatWereTakenAreAcknowledged) {
  ElementRing<int> ring;
  EXPECT_TRUE(ring.empty());
  ring.reset(1);
  ring.take();
  EXPECT_FALSE(ring.empty());
  EXPECT_TRUE(ring.acknowledge(1));
  EXPECT_TRUE(ring.empty());
  ring.reset(3);
  EXPECT_TRUE(ring.empty());
  EXPECT_FALSE(ring.full());
  EXPECT_FALSE(ring.acknowledge(1));
}

}  // namespace
}  // namespace comch::dpa
