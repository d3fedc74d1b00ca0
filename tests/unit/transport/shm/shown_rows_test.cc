// The contract of ShownRows.
#include "transport/shm/shown_rows.h"

#include <gtest/gtest.h>

#include <array>
#include <utility>
#include <vector>

namespace comch::transport::shm {
namespace {

struct Lane {};
using Parts = std::vector<std::pair<Lane*, std::size_t>>;

struct ShownRowsTest : testing::Test {
  Parts release(std::size_t count) {
    Parts parts;
    EXPECT_TRUE(rows.release(
        count, [&](Lane& lane, std::size_t messages) { parts.emplace_back(&lane, messages); }));
    return parts;
  }
  ShownRows<Lane> rows;
  std::array<Lane, 2> lanes;
};

TEST_F(ShownRowsTest, TheOldestAreReleasedFirstAndEachLaneIsToldOfItsOwn) {
  rows.add(lanes[0], 2);
  rows.add(lanes[0], 1);
  rows.add(lanes[1], 4);
  EXPECT_EQ(rows.messages(), 7U);
  EXPECT_EQ(release(5), (Parts{{&lanes[0], 3}, {&lanes[1], 2}}));
  EXPECT_EQ(release(1), (Parts{{&lanes[1], 1}}));
  EXPECT_EQ(release(0), Parts{});
  EXPECT_EQ(release(1), (Parts{{&lanes[1], 1}}));
  EXPECT_EQ(rows.messages(), 0U);
}

TEST_F(ShownRowsTest, MoreThanAreShownAreNotReleasedAtAll) {
  rows.add(lanes[0], 2);
  EXPECT_FALSE(rows.release(3, [](Lane&, std::size_t) { FAIL(); }));
  EXPECT_EQ(rows.messages(), 2U);
}

TEST_F(ShownRowsTest, AFullCircleOfRowsTakesOnlyMoreOfTheLastLane) {
  for (std::size_t n = 0; n != 3 * ShownRows<Lane>::kMost; ++n) {
    ASSERT_TRUE(rows.takes(lanes[n % 2])) << n;
    rows.add(lanes[n % 2], 1);
    if (n >= ShownRows<Lane>::kMost - 1) {
      EXPECT_EQ(release(1).size(), 1U);
    }
  }
  rows.add(lanes[0], 1);
  EXPECT_FALSE(rows.takes(lanes[1]));
  EXPECT_TRUE(rows.takes(lanes[0]));
  rows.add(lanes[0], 5);
  EXPECT_EQ(rows.messages(), ShownRows<Lane>::kMost + 5);
  EXPECT_EQ(release(1), (Parts{{&lanes[1], 1}}));
  EXPECT_TRUE(rows.takes(lanes[1]));
}

}  // namespace
}  // namespace comch::transport::shm
