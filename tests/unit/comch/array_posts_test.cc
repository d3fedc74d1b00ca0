// The contract of ArrayPosts.
#include "comch/array_posts.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace comch {
namespace {

struct ArrayPostsTest : testing::Test {
  std::array<BufferImpl, 3> buffers;
  ArrayPosts posts;
};

TEST_F(ArrayPostsTest, HoldsNothingBeforeItIsReset) {
  EXPECT_TRUE(posts.full());
  EXPECT_TRUE(posts.empty());
}

TEST_F(ArrayPostsTest, EachBufferHasAnIndexOfItsOwnBelowTheCount) {
  posts.reset(3);
  std::set<std::uint16_t> indexes;
  for (BufferImpl& buffer : buffers) {
    ASSERT_FALSE(posts.full());
    indexes.insert(posts.add(&buffer));
  }
  EXPECT_EQ(indexes, (std::set<std::uint16_t>{0, 1, 2}));
  EXPECT_TRUE(posts.full());
  EXPECT_FALSE(posts.empty());
}

TEST_F(ArrayPostsTest, AnIndexAnswersItsBufferAndIsFreeAgain) {
  posts.reset(3);
  const std::uint16_t first = posts.add(buffers.data());
  const std::uint16_t none = posts.add(nullptr);
  const std::uint16_t last = posts.add(&buffers[2]);
  EXPECT_EQ(posts.remove(none), nullptr) << "posted without a buffer";
  EXPECT_EQ(posts.remove(last), &buffers[2]);
  EXPECT_EQ(posts.add(&buffers[1]), last) << "the one that was used last is warm";
  EXPECT_EQ(posts.remove(first), buffers.data());
  EXPECT_EQ(posts.remove(last), &buffers[1]);
  EXPECT_TRUE(posts.empty());
}

TEST_F(ArrayPostsTest, ResetForgetsWhatIsOut) {
  posts.reset(1);
  posts.add(buffers.data());
  posts.reset(2);
  EXPECT_TRUE(posts.empty());
  EXPECT_FALSE(posts.full());
}

}  // namespace
}  // namespace comch
