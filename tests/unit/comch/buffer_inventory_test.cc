// BufferInventory: buffers over any part of any started map.
#include "comch/buffer_inventory.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "comch/log.h"

namespace comch {
namespace {

struct BufferInventoryTest : testing::Test {
  BufferInventoryTest() {
    EXPECT_TRUE(map->set_range(bytes.data(), bytes.size()));
    EXPECT_TRUE(map->start());
    EXPECT_TRUE(inventory->start());
  }

  std::array<std::byte, 256> bytes{};
  std::unique_ptr<MemoryMap> map = MemoryMap::create().value();
  std::unique_ptr<BufferInventory> inventory = BufferInventory::create(2).value();
};

TEST_F(BufferInventoryTest, ABufferToReceiveIntoHasNoDataAndOneToSendIsAllData) {
  Buffer* space = inventory->get_by_address(*map, bytes).value();
  Buffer* message = inventory->get_by_data(*map, bytes).value();
  EXPECT_EQ(space->data(), bytes.data());
  EXPECT_EQ(space->data_length(), 0u);
  EXPECT_EQ(space->tail_room(), bytes.size());
  EXPECT_EQ(message->data_length(), bytes.size());
  EXPECT_EQ(message->tail_room(), 0u);
  EXPECT_EQ(space->references(), 1);
  EXPECT_TRUE(space->drop_reference());
  EXPECT_TRUE(message->drop_reference());
}

TEST_F(BufferInventoryTest, LendsNoMoreThanItHas) {
  Buffer* one = inventory->get_by_data(*map, bytes).value();
  Buffer* two = inventory->get_by_data(*map, bytes).value();
  EXPECT_EQ(inventory->get_by_data(*map, bytes).error().code, Errc::no_memory);
  EXPECT_EQ(map->buffers(), 2u);
  EXPECT_TRUE(one->drop_reference());
  EXPECT_EQ(inventory->get_by_data(*map, bytes).value(), one);
  EXPECT_TRUE(one->drop_reference());
  EXPECT_TRUE(two->drop_reference());
  EXPECT_EQ(map->buffers(), 0u);
}

TEST_F(BufferInventoryTest, ABufferLiesInsideItsMapAndItsDataInsideIt) {
  constexpr std::size_t kHuge = std::numeric_limits<std::size_t>::max();
  const auto refused = [&](std::span<std::byte> room, std::span<std::byte> data) {
    const Result<Buffer*> got = inventory->get_by_args(*map, room, data);
    return !got && got.error().code == Errc::invalid_value;
  };
  std::byte* const base = bytes.data();
  EXPECT_TRUE(refused({base, 0}, {base, 0}));
  EXPECT_TRUE(refused({}, {}));
  EXPECT_TRUE(refused({base - 1, 2}, {base, 0}));
  EXPECT_TRUE(refused({base, bytes.size() + 1}, {base, 0}));
  EXPECT_TRUE(refused({base + 1, kHuge}, {base + 1, 0}));
  EXPECT_TRUE(refused({base + 10, 10}, {base + 9, 1}));
  EXPECT_TRUE(refused({base + 10, 10}, {base + 19, 2}));
  EXPECT_TRUE(refused({base + 10, 10}, {base + 11, kHuge}));
  EXPECT_FALSE(refused({base + 10, 10}, {base + 20, 0}));
  EXPECT_EQ(inventory->available(), 1u);
  BufferInventoryImpl::of(*inventory).home.for_each([](Buffer& b) {
    if (b.references() > 0) {
      EXPECT_TRUE(b.drop_reference());
    }
  });
}

TEST_F(BufferInventoryTest, StoppedItLendsNothingAndTakesBackAll) {
  Buffer* lent = inventory->get_by_data(*map, bytes).value();
  ASSERT_TRUE(inventory->stop());
  EXPECT_FALSE(inventory->started());
  EXPECT_EQ(inventory->get_by_data(*map, bytes).error().code, Errc::bad_state);
  EXPECT_EQ(inventory->duplicate(*lent).error().code, Errc::bad_state);
  EXPECT_TRUE(lent->drop_reference());
  EXPECT_EQ(inventory->available(), 2u);
  ASSERT_TRUE(inventory->start());
  EXPECT_TRUE(inventory->get_by_data(*map, bytes).value()->drop_reference());
}

TEST_F(BufferInventoryTest, AMapThatIsNotStartedHasNoBuffers) {
  ASSERT_TRUE(map->stop());
  EXPECT_EQ(inventory->get_by_data(*map, bytes).error().code, Errc::invalid_value);
}

TEST_F(BufferInventoryTest, ADuplicateHasTheSamePlaceAndItsOwnReferences) {
  const std::span<std::byte> all(bytes);
  Buffer* source = inventory->get_by_args(*map, all, all.subspan(5, 7)).value();
  ASSERT_TRUE(source->add_reference());
  Buffer* copy = inventory->duplicate(*source).value();
  EXPECT_NE(copy, source);
  EXPECT_EQ(copy->head(), source->head());
  EXPECT_EQ(copy->length(), source->length());
  EXPECT_EQ(copy->data(), source->data());
  EXPECT_EQ(copy->data_length(), source->data_length());
  EXPECT_EQ(copy->references(), 1);
  EXPECT_EQ(inventory->duplicate(*source).error().code, Errc::no_memory);
  EXPECT_TRUE(copy->drop_reference());
  EXPECT_TRUE(source->drop_reference());
  EXPECT_TRUE(source->drop_reference());
  EXPECT_EQ(inventory->duplicate(*source).error().code, Errc::bad_state);
}

TEST_F(BufferInventoryTest, ExpandsWhileBuffersAreLent) {
  Buffer* one = inventory->get_by_data(*map, bytes).value();
  ASSERT_TRUE(inventory->expand(3));
  EXPECT_EQ(inventory->size(), 5u);
  EXPECT_EQ(inventory->available(), 4u);
  EXPECT_EQ(inventory->expand(0).error().code, Errc::invalid_value);
  EXPECT_EQ(inventory->expand(kMaxBuffers).error().code, Errc::invalid_value);
  EXPECT_TRUE(one->drop_reference());
}

TEST_F(BufferInventoryTest, IsNotDestroyedWhileBuffersAreLent) {
  Buffer* lent = inventory->get_by_data(*map, bytes).value();
  EXPECT_EQ(BufferInventory::destroy(inventory).error().code, Errc::in_use);
  ASSERT_NE(inventory, nullptr);
  EXPECT_TRUE(lent->drop_reference());
  EXPECT_TRUE(BufferInventory::destroy(inventory));
  EXPECT_EQ(inventory, nullptr);
  EXPECT_EQ(BufferInventory::destroy(inventory).error().code, Errc::invalid_value);
}

TEST_F(BufferInventoryTest, SaysSoWhenItsPointerIsResetTooEarly) {
  std::vector<std::string> log;
  set_log_sink([&](LogLevel, std::string_view line) { log.emplace_back(line); });
  ASSERT_TRUE(inventory->get_by_data(*map, bytes));
  inventory.reset();
  set_log_sink({});
  ASSERT_EQ(log.size(), 1u);
  EXPECT_NE(log[0].find("1 buffers are lent"), std::string::npos) << log[0];
  MemoryMapImpl::of(*map).remove_buffers();  // So that the map has no complaint of its own.
}

TEST_F(BufferInventoryTest, HasASizeAndTheCallersData) {
  EXPECT_EQ(BufferInventory::create(0).error().code, Errc::invalid_value);
  EXPECT_EQ(BufferInventory::create(kMaxBuffers + 1).error().code, Errc::invalid_value);
  EXPECT_EQ(inventory->user_data().value, 0u);
  inventory->set_user_data({.value = 42});
  EXPECT_EQ(inventory->user_data().value, 42u);
}

TEST_F(BufferInventoryTest, ThreadsWithInventoriesOfTheirOwnShareAMap) {
  constexpr int kRounds = 20000;
  const auto work = [&] {
    auto own = BufferInventory::create(4).value();
    std::ignore = own->start();
    for (int n = 0; n < kRounds; ++n) {
      Buffer* buffer = own->get_by_data(*map, bytes).value();
      EXPECT_GE(map->buffers(), 1u);
      std::ignore = buffer->drop_reference();
    }
  };
  std::thread one(work);
  std::thread two(work);
  one.join();
  two.join();
  EXPECT_EQ(map->buffers(), 0u);
  EXPECT_TRUE(MemoryMap::destroy(map));
}

}  // namespace
}  // namespace comch
