// BufferPool: one map, cut into buffers of one size.
#include "comch/buffer_pool.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <set>

namespace comch {
namespace {

struct BufferPoolTest : testing::Test {
  BufferPoolTest() {
    EXPECT_TRUE(map->set_range(bytes.data(), bytes.size()));
    EXPECT_TRUE(map->start());
  }

  alignas(64) std::array<std::byte, 1024> bytes{};
  std::unique_ptr<MemoryMap> map = MemoryMap::create().value();
};

TEST_F(BufferPoolTest, CutsTheMapIntoBuffersThatDoNotOverlap) {
  auto pool = BufferPool::create(4, 256, *map).value();
  ASSERT_TRUE(pool->start());
  std::set<std::byte*> heads;
  std::array<Buffer*, 4> buffers{};
  for (Buffer*& buffer : buffers) {
    buffer = pool->get().value();
    EXPECT_EQ(buffer->length(), 256u);
    EXPECT_EQ(buffer->data(), buffer->head());
    EXPECT_EQ(buffer->data_length(), 0u);
    heads.insert(buffer->head());
  }
  const std::set<std::byte*> expected{&bytes[0], &bytes[256], &bytes[512], &bytes[768]};
  EXPECT_EQ(heads, expected);
  EXPECT_EQ(pool->get().error().code, Errc::empty);
  for (Buffer* buffer : buffers) EXPECT_TRUE(buffer->drop_reference());
  EXPECT_EQ(pool->available(), 4u);
}

TEST_F(BufferPoolTest, ABufferComesBackEmptyWhateverItHeld) {
  auto pool = BufferPool::create(1, 100, *map).value();
  ASSERT_TRUE(pool->start());
  Buffer* buffer = pool->get().value();
  ASSERT_TRUE(buffer->set_data(buffer->head() + 10, 20));
  ASSERT_TRUE(buffer->drop_reference());
  ASSERT_EQ(pool->get().value(), buffer);
  EXPECT_EQ(buffer->data(), buffer->head());
  EXPECT_EQ(buffer->data_length(), 0u);
  EXPECT_TRUE(buffer->drop_reference());
}

TEST_F(BufferPoolTest, AlignsItsBuffersAlsoWhereTheMapIsNot) {
  auto odd = MemoryMap::create().value();
  ASSERT_TRUE(odd->set_range(bytes.data() + 1, 192));
  ASSERT_TRUE(odd->start());
  auto pool = BufferPool::create(2, 65, *odd).value();
  ASSERT_TRUE(pool->set_alignment(64));
  EXPECT_EQ(pool->alignment(), 64u);
  // From byte 64 of the array: 65, then 65 from byte 192 on, of which one is left.
  EXPECT_EQ(pool->start().error().code, Errc::initialization);
  auto smaller = BufferPool::create(2, 64, *odd).value();
  ASSERT_TRUE(smaller->set_alignment(64));
  ASSERT_TRUE(smaller->start());
  Buffer* one = smaller->get().value();
  Buffer* two = smaller->get().value();
  EXPECT_EQ(one->head(), &bytes[64]);
  EXPECT_EQ(two->head(), &bytes[128]);
  EXPECT_TRUE(one->drop_reference());
  EXPECT_TRUE(two->drop_reference());
  EXPECT_TRUE(BufferPool::destroy(smaller));
}

TEST_F(BufferPoolTest, TheLastBufferMayEndWithTheMap) {
  auto exact = BufferPool::create(1, 1024, *map).value();
  EXPECT_TRUE(exact->start());
  auto more = BufferPool::create(1, 1025, *map).value();
  EXPECT_EQ(more->start().error().code, Errc::initialization);
}

TEST_F(BufferPoolTest, NumbersThatWrapAreTooBigForTheMap) {
  constexpr std::size_t kHuge = std::numeric_limits<std::size_t>::max();
  auto wide = BufferPool::create(3, kHuge / 2, *map).value();
  EXPECT_EQ(wide->start().error().code, Errc::initialization);
  auto aligned = BufferPool::create(1, 1, *map).value();
  ASSERT_TRUE(aligned->set_alignment(kHuge / 2 + 1));
  EXPECT_EQ(aligned->start().error().code, Errc::initialization);
}

TEST_F(BufferPoolTest, StartedItsBuffersCountAsTheMaps) {
  auto pool = BufferPool::create(4, 16, *map).value();
  ASSERT_TRUE(pool->start());
  EXPECT_EQ(map->buffers(), 4u);
  EXPECT_EQ(MemoryMap::destroy(map).error().code, Errc::not_permitted);
  ASSERT_TRUE(pool->stop());
  EXPECT_EQ(map->buffers(), 0u);
  ASSERT_TRUE(pool->start());
  ASSERT_TRUE(BufferPool::destroy(pool));
  EXPECT_EQ(map->buffers(), 0u);
}

TEST_F(BufferPoolTest, IsNeitherStoppedNorDestroyedWhileBuffersAreLent) {
  auto pool = BufferPool::create(1, 16, *map).value();
  EXPECT_EQ(pool->stop().error().code, Errc::bad_state);
  ASSERT_TRUE(pool->start());
  Buffer* lent = pool->get().value();
  EXPECT_EQ(pool->stop().error().code, Errc::in_use);
  EXPECT_EQ(BufferPool::destroy(pool).error().code, Errc::in_use);
  ASSERT_NE(pool, nullptr);
  EXPECT_TRUE(pool->started());
  EXPECT_TRUE(lent->drop_reference());
  EXPECT_TRUE(BufferPool::destroy(pool));
  EXPECT_EQ(BufferPool::destroy(pool).error().code, Errc::invalid_value);
}

TEST_F(BufferPoolTest, LendsOnlyWhileStarted) {
  auto pool = BufferPool::create(1, 16, *map).value();
  EXPECT_EQ(pool->get().error().code, Errc::bad_state);
  ASSERT_TRUE(pool->start());
  EXPECT_EQ(pool->start().error().code, Errc::bad_state);
  ASSERT_TRUE(pool->stop());
  EXPECT_EQ(pool->get().error().code, Errc::bad_state);
}

TEST_F(BufferPoolTest, IsConfiguredOnlyWhileStopped) {
  auto pool = BufferPool::create(2, 16, *map).value();
  EXPECT_EQ(pool->set_alignment(0).error().code, Errc::invalid_value);
  EXPECT_EQ(pool->set_alignment(24).error().code, Errc::invalid_value);
  EXPECT_EQ(pool->alignment(), 1u);
  EXPECT_EQ(pool->user_data().value, 0u);
  ASSERT_TRUE(pool->set_user_data({.value = 7}));
  ASSERT_TRUE(pool->start());
  EXPECT_EQ(pool->set_alignment(8).error().code, Errc::bad_state);
  EXPECT_EQ(pool->set_user_data({.value = 8}).error().code, Errc::bad_state);
  EXPECT_EQ(pool->user_data().value, 7u);
  EXPECT_EQ(pool->size(), 2u);
  EXPECT_EQ(pool->buffer_size(), 16u);
}

TEST_F(BufferPoolTest, NeedsAMapWithARangeThatIsStarted) {
  auto empty = MemoryMap::create().value();
  EXPECT_EQ(BufferPool::create(1, 16, *empty).error().code, Errc::invalid_value);
  EXPECT_EQ(BufferPool::create(0, 16, *map).error().code, Errc::invalid_value);
  EXPECT_EQ(BufferPool::create(1, 0, *map).error().code, Errc::invalid_value);
  EXPECT_EQ(BufferPool::create(kMaxBuffers + 1, 1, *map).error().code, Errc::invalid_value);
  auto pool = BufferPool::create(1, 16, *map).value();
  ASSERT_TRUE(map->stop());
  EXPECT_EQ(pool->start().error().code, Errc::bad_state);
}

}  // namespace
}  // namespace comch
