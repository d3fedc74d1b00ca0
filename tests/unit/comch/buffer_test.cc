// Buffer: its data stays inside, its references are counted, and it is in no list.
#include "comch/buffer.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace comch {
namespace {

struct BufferTest : testing::Test {
  BufferTest() {
    EXPECT_TRUE(map->set_range(bytes.data(), bytes.size()));
    EXPECT_TRUE(map->start());
    EXPECT_TRUE(inventory->start());
    buffer = inventory->get_by_args(*map, room(), room().subspan(10, 20)).value();
  }
  ~BufferTest() override {
    while (buffer->references() > 0) EXPECT_TRUE(buffer->drop_reference());
  }

  std::span<std::byte> room() { return std::span(bytes).subspan(64, 100); }

  std::array<std::byte, 256> bytes{};
  std::unique_ptr<MemoryMap> map = MemoryMap::create().value();
  std::unique_ptr<BufferInventory> inventory = BufferInventory::create(2).value();
  Buffer* buffer = nullptr;
};

TEST_F(BufferTest, HasAHeadALengthDataAndTailRoom) {
  EXPECT_EQ(buffer->head(), room().data());
  EXPECT_EQ(buffer->length(), 100u);
  EXPECT_EQ(buffer->data(), room().data() + 10);
  EXPECT_EQ(buffer->data_length(), 20u);
  EXPECT_EQ(buffer->contents().data(), buffer->data());
  EXPECT_EQ(buffer->contents().size(), 20u);
  EXPECT_EQ(buffer->tail_room(), 70u);
  EXPECT_EQ(&buffer->map(), map.get());
}

TEST_F(BufferTest, ItsDataMayBeAnyPartOfIt) {
  ASSERT_TRUE(buffer->set_data(buffer->head(), 100));
  EXPECT_EQ(buffer->tail_room(), 0u);
  ASSERT_TRUE(buffer->set_data(buffer->head() + 100, 0));
  EXPECT_EQ(buffer->tail_room(), 0u);
  ASSERT_TRUE(buffer->set_data(buffer->head() + 50, 1));
  EXPECT_EQ(buffer->tail_room(), 49u);
}

TEST_F(BufferTest, DataThatDoesNotLieInsideIsRefusedAndChangesNothing) {
  constexpr std::size_t kHuge = std::numeric_limits<std::size_t>::max();
  EXPECT_EQ(buffer->set_data(buffer->head() - 1, 1).error().code, Errc::invalid_value);
  EXPECT_EQ(buffer->set_data(buffer->head(), 101).error().code, Errc::invalid_value);
  EXPECT_EQ(buffer->set_data(buffer->head() + 101, 0).error().code, Errc::invalid_value);
  EXPECT_EQ(buffer->set_data(buffer->head() + 1, kHuge).error().code, Errc::invalid_value);
  EXPECT_EQ(buffer->set_data(nullptr, 0).error().code, Errc::invalid_value);
  EXPECT_EQ(buffer->set_data_length(91).error().code, Errc::invalid_value);
  EXPECT_EQ(buffer->set_data_length(kHuge).error().code, Errc::invalid_value);
  EXPECT_EQ(buffer->data(), room().data() + 10);
  EXPECT_EQ(buffer->data_length(), 20u);
}

TEST_F(BufferTest, TheLengthOfItsDataChangesWhereItBegins) {
  ASSERT_TRUE(buffer->set_data_length(90));
  EXPECT_EQ(buffer->data(), room().data() + 10);
  EXPECT_EQ(buffer->tail_room(), 0u);
  buffer->reset_data_length();
  EXPECT_EQ(buffer->data(), room().data() + 10);
  EXPECT_EQ(buffer->data_length(), 0u);
  EXPECT_EQ(buffer->tail_room(), 90u);
}

TEST_F(BufferTest, CountsReferencesAndAnswersHowManyThereWere) {
  EXPECT_EQ(buffer->add_reference().value(), 1);
  EXPECT_EQ(buffer->add_reference().value(), 2);
  EXPECT_EQ(buffer->references(), 3);
  EXPECT_EQ(buffer->drop_reference().value(), 3);
  EXPECT_EQ(buffer->drop_reference().value(), 2);
  EXPECT_EQ(inventory->available(), 1u);
  EXPECT_EQ(buffer->drop_reference().value(), 1);
  EXPECT_EQ(inventory->available(), 2u);
}

TEST_F(BufferTest, HasAtMost65535References) {
  for (std::uint32_t n = 1; n < 65535; ++n) ASSERT_TRUE(buffer->add_reference());
  EXPECT_EQ(buffer->add_reference().error().code, Errc::too_big);
  EXPECT_EQ(buffer->references(), 65535);
}

TEST_F(BufferTest, WhichIsNotLentHasNoReferencesToAddOrDrop) {
  ASSERT_TRUE(buffer->drop_reference());
  EXPECT_EQ(buffer->references(), 0);
  EXPECT_EQ(buffer->add_reference().error().code, Errc::bad_state);
  EXPECT_EQ(buffer->drop_reference().error().code, Errc::bad_state);
  EXPECT_EQ(inventory->available(), 2u);
}

TEST_F(BufferTest, IsAListOfItselfAloneAndCannotBeChained) {
  Buffer* other = inventory->get_by_address(*map, room()).value();
  const Status chained = buffer->chain(*other);
  ASSERT_FALSE(chained);
  EXPECT_EQ(chained.error().code, Errc::not_supported);
  EXPECT_STRNE(chained.error().what, "");
  EXPECT_EQ(buffer->unchain(*other).error().code, Errc::invalid_value);
  EXPECT_EQ(buffer->next_in_list(), nullptr);
  EXPECT_EQ(buffer->last_in_list(), buffer);
  EXPECT_TRUE(buffer->is_first_in_list());
  EXPECT_TRUE(buffer->is_last_in_list());
  EXPECT_FALSE(buffer->is_in_list());
  EXPECT_EQ(buffer->list_length(), 1u);
  EXPECT_TRUE(other->drop_reference());
}

}  // namespace
}  // namespace comch
