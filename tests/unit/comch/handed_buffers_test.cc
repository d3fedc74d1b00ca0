// HandedBuffers: which buffer comes back under which handle.
#include "comch/handed_buffers.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace comch::test {
namespace {

struct HandedBuffersTest : testing::Test {
  // Buffers that are only told apart.
  Buffer& buffer(std::size_t n) { return *reinterpret_cast<Buffer*>(&places[n]); }

  HandedBuffers handed;
  std::array<std::uint64_t, 4> places{};
};

TEST_F(HandedBuffersTest, EachIsTakenOnceUnderItsHandle) {
  EXPECT_TRUE(handed.empty());
  EXPECT_EQ(handed.take(0), nullptr);
  handed.put(7, buffer(0));
  handed.put(1023, buffer(1));
  handed.put(0, buffer(2));
  EXPECT_FALSE(handed.empty());
  EXPECT_EQ(handed.take(1), nullptr);
  EXPECT_EQ(handed.take(1024), nullptr);
  EXPECT_EQ(handed.take(~0U), nullptr);
  EXPECT_EQ(handed.take(1023), &buffer(1));
  EXPECT_EQ(handed.take(1023), nullptr);
  EXPECT_EQ(handed.take(7), &buffer(0));
  EXPECT_FALSE(handed.empty());
  EXPECT_EQ(handed.take(0), &buffer(2));
  EXPECT_TRUE(handed.empty());
}

TEST_F(HandedBuffersTest, AllAreTakenAtOnceAndOthersMayComeMeanwhile) {
  handed.put(3, buffer(0));
  handed.put(1, buffer(1));
  std::vector<std::pair<std::uint32_t, Buffer*>> taken;
  handed.take_all([&](std::uint32_t handle, Buffer& each) {
    if (taken.empty()) {
      EXPECT_TRUE(handed.empty());
      handed.put(1, buffer(2));
    }
    taken.emplace_back(handle, &each);
  });
  EXPECT_EQ(taken,
            (std::vector<std::pair<std::uint32_t, Buffer*>>{{1, &buffer(1)}, {3, &buffer(0)}}));
  EXPECT_EQ(handed.take(1), &buffer(2));
  EXPECT_TRUE(handed.empty());
}

}  // namespace
}  // namespace comch::test
