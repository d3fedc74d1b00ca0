// The contract of PostedTable.
#include "shm/posted_table.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace comch::shm {
namespace {

struct PostedTableTest : testing::Test {
  std::array<PostedTable::Entry, 3> entries{};
  PostedTable table{entries};
};

TEST_F(PostedTableTest, APostedIndexTakesUpToItsCapacity) {
  table.post(1, 1, 64, 100);
  ASSERT_NE(table.find(1, 100), nullptr);
  EXPECT_EQ(table.find(1, 100)->offset, 64U);
  EXPECT_NE(table.find(1, 0), nullptr);
  EXPECT_EQ(table.find(1, 101), nullptr) << "longer than the buffer";
}

TEST_F(PostedTableTest, AnIndexThatIsNotPostedOrDoesNotExistIsRefused) {
  EXPECT_EQ(table.find(0, 0), nullptr);
  EXPECT_EQ(table.find(3, 0), nullptr);
  EXPECT_EQ(table.find(0xffff, 0), nullptr);
}

TEST_F(PostedTableTest, AWishIsGrantedUnlessItIsPosted) {
  EXPECT_EQ(table.choose(1), 1U);
  table.post(1, 7, 0, 8);
  const std::uint16_t other = table.choose(1);
  EXPECT_NE(other, 1U);
  table.post(other, 8, 0, 8);
  const std::uint16_t last = table.choose(1);
  EXPECT_FALSE(table.posted(last)) << "the only one that is free";
  table.complete(1);
  EXPECT_EQ(table.choose(1), 1U);
}

TEST_F(PostedTableTest, APostedIndexKnowsTheNameThatItsPosterGaveIt) {
  table.post(2, 0xffff, 64, (std::uint64_t{1} << 40U) - 1);
  ASSERT_NE(table.find(2, 1), nullptr);
  EXPECT_EQ(table.find(2, 1)->name(), 0xffffU);
  EXPECT_EQ(table.find(2, 1)->capacity(), (std::uint64_t{1} << 40U) - 1);
}

TEST_F(PostedTableTest, AnIndexIsCompletedOnce) {
  table.post(2, 2, 0, 8);
  EXPECT_TRUE(table.posted(2));
  table.complete(2);
  EXPECT_EQ(table.find(2, 0), nullptr);
  EXPECT_FALSE(table.posted(2));
  table.post(2, 2, 8, 8);
  EXPECT_EQ(table.find(2, 8)->offset, 8U);
}

TEST_F(PostedTableTest, WhenThePeerIsGoneEachPostedIndexIsCompletedOnce) {
  table.post(0, 10, 0, 8);
  table.post(2, 12, 0, 8);
  EXPECT_EQ(table.posted(), 2U);
  std::vector<int> completed;
  table.complete_all([&](std::uint16_t name) { completed.push_back(name); });
  EXPECT_EQ(completed, (std::vector<int>{10, 12}));
  EXPECT_EQ(table.posted(), 0U);
}

}  // namespace
}  // namespace comch::shm
