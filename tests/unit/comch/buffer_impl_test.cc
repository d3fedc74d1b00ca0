// BufferImpl and BufferHome: what the fast path stands on.
#include "comch/buffer_impl.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace comch {
namespace {

struct BufferHomeTest : testing::Test {
  BufferHomeTest() {
    EXPECT_TRUE(map.set_range(bytes.data(), bytes.size()));
    EXPECT_TRUE(map.start());
  }

  BufferImpl* lend(BufferHome& home) {
    BufferImpl* buffer = home.lend();
    if (buffer != nullptr) buffer->point(map, bytes, std::span(bytes).first(0));
    return buffer;
  }

  std::array<std::byte, 256> bytes{};
  MemoryMapImpl map;
};

TEST_F(BufferHomeTest, LendsEachBufferOnceAndTheFirstOneFirst) {
  BufferHome home(BufferHome::Counting::kByOwner);
  ASSERT_TRUE(home.add(3));
  std::vector<BufferImpl*> made;
  home.for_each([&](BufferImpl& buffer) { made.push_back(&buffer); });
  ASSERT_EQ(made.size(), 3u);
  for (BufferImpl* expected : made) EXPECT_EQ(lend(home), expected);
  EXPECT_EQ(home.lend(), nullptr);
  EXPECT_EQ(home.available(), 0u);
}

TEST_F(BufferHomeTest, LendsWhatCameBackLast) {
  BufferHome home(BufferHome::Counting::kByOwner);
  ASSERT_TRUE(home.add(3));
  BufferImpl* first = lend(home);
  BufferImpl* second = lend(home);
  EXPECT_TRUE(first->drop());
  EXPECT_TRUE(second->drop());
  EXPECT_EQ(home.lend(), second);
  EXPECT_EQ(home.lend(), first);
}

TEST_F(BufferHomeTest, ABufferGoesHomeWithItsLastReference) {
  BufferHome home(BufferHome::Counting::kByOwner);
  ASSERT_TRUE(home.add(1));
  BufferImpl* buffer = lend(home);
  buffer->add();
  EXPECT_FALSE(buffer->drop());
  EXPECT_FALSE(home.all_home());
  EXPECT_TRUE(buffer->drop());
  EXPECT_TRUE(home.all_home());
  EXPECT_EQ(buffer->references(), 0);
}

TEST_F(BufferHomeTest, TellsTheMapOfEachReturnUnlessItsOwnerCounts) {
  BufferHome each(BufferHome::Counting::kEach);
  BufferHome owner(BufferHome::Counting::kByOwner);
  ASSERT_TRUE(each.add(1));
  ASSERT_TRUE(owner.add(1));
  map.add_buffers(2);
  lend(owner)->drop();
  EXPECT_EQ(map.buffers(), 2u);
  lend(each)->drop();
  EXPECT_EQ(map.buffers(), 1u);
  map.remove_buffers();
}

TEST_F(BufferHomeTest, GrowsWhileBuffersAreOutAndNoneMoves) {
  BufferHome home(BufferHome::Counting::kByOwner);
  ASSERT_TRUE(home.add(1));
  BufferImpl* before = lend(home);
  for (int n = 0; n < 100; ++n) ASSERT_TRUE(home.add(1));
  EXPECT_EQ(home.size(), 101u);
  EXPECT_EQ(home.available(), 100u);
  EXPECT_EQ(before->references(), 1);
  EXPECT_TRUE(before->drop());
}

TEST_F(BufferHomeTest, HasBoundedSizeInAll) {
  BufferHome home(BufferHome::Counting::kByOwner);
  EXPECT_EQ(home.add(0).error().code, Errc::invalid_value);
  EXPECT_EQ(home.add(kMaxBuffers + 1).error().code, Errc::invalid_value);
  ASSERT_TRUE(home.add(2));
  EXPECT_EQ(home.add(kMaxBuffers - 1).error().code, Errc::invalid_value);
  EXPECT_EQ(home.size(), 2u);
}

TEST_F(BufferHomeTest, ABufferKnowsItsTailAndItsPlaceInTheMap) {
  BufferHome home(BufferHome::Counting::kByOwner);
  ASSERT_TRUE(home.add(1));
  BufferImpl* buffer = home.lend();
  const std::span<std::byte> room = std::span(bytes).subspan(64, 100);
  buffer->point(map, room, room.subspan(10, 20));
  EXPECT_EQ(buffer->offset_in_map(), 64u);
  EXPECT_EQ(buffer->tail(), room.data() + 30);
  EXPECT_EQ(buffer->tail_room(), 70u);
  buffer->append_unchecked(70);
  EXPECT_EQ(buffer->data_length(), 90u);
  EXPECT_EQ(buffer->tail_room(), 0u);
}

}  // namespace
}  // namespace comch
