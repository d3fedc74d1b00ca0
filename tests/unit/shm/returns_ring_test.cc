// The contract of ReturnsRing.
#include "shm/returns_ring.h"

#include <gtest/gtest.h>

#include <array>

namespace comch::shm {
namespace {

template <class Position>
struct Returns {
  static constexpr std::uint32_t kSlots = 4;

  alignas(8) std::array<std::byte, kSlots * 8> ring{};
  std::array<bool, kSlots> lent{};
  ReturnsWriter<FastMachine, Position> consumer{ring.data(), kSlots};
  ReturnsReader<FastMachine, Position> producer{ring.data(), kSlots, lent};
  std::uint32_t handle = 99;
};

struct ReturnsRingTest : testing::Test, Returns<std::uint32_t> {};

TEST_F(ReturnsRingTest, WhatIsGivenBackComesBackOnceInOrder) {
  for (const std::uint32_t n : {2U, 0U}) {
    producer.lend(n);
    ASSERT_TRUE(consumer.accept());
  }
  EXPECT_EQ(producer.take(handle), Look::kNothing);
  consumer.give_back(0);
  consumer.give_back(2);
  ASSERT_EQ(producer.take(handle), Look::kMessage);
  EXPECT_EQ(handle, 0U);
  EXPECT_FALSE(producer.lent(0));
  ASSERT_EQ(producer.take(handle), Look::kMessage);
  EXPECT_EQ(handle, 2U);
  EXPECT_EQ(producer.take(handle), Look::kNothing);
}

TEST_F(ReturnsRingTest, AProducerThatHandsOverMoreThanItHasIsRefused) {
  for (std::uint32_t n = 0; n < kSlots; ++n) ASSERT_TRUE(consumer.accept());
  EXPECT_FALSE(consumer.accept());
  EXPECT_EQ(consumer.holding(), kSlots);
  consumer.give_back(0);
  EXPECT_TRUE(consumer.accept());
}

TEST_F(ReturnsRingTest, AHandleThatIsNotLentBreaksTheRingForGood) {
  producer.lend(1);
  FastMachine::store_word(ring.data(), 0, 1 | std::uint64_t{2} << 32U);
  EXPECT_EQ(producer.take(handle), Look::kBroken);
  FastMachine::store_word(ring.data(), 0, 1 | std::uint64_t{1} << 32U);
  EXPECT_EQ(producer.take(handle), Look::kBroken) << "too late to take it back";
  EXPECT_TRUE(producer.broken());
}

TEST_F(ReturnsRingTest, AHandleThatDoesNotExistBreaksTheRing) {
  FastMachine::store_word(ring.data(), 0, 1 | std::uint64_t{0xffff'ffff} << 32U);
  EXPECT_EQ(producer.take(handle), Look::kBroken);
}

TEST_F(ReturnsRingTest, AHandOverThatWasNotSentIsNotLent) {
  producer.lend(1);
  producer.unlend(1);
  EXPECT_FALSE(producer.lent(1));
}

TEST(ReturnsRingWrapTest, PositionsOfEightBitsComeRoundManyTimes) {
  Returns<std::uint8_t> ring;
  for (std::uint32_t n = 0; n < 100'000; ++n) {
    const std::uint32_t handle = n % 4;
    ring.producer.lend(handle);
    ASSERT_TRUE(ring.consumer.accept());
    ASSERT_EQ(ring.producer.take(ring.handle), Look::kNothing) << n;
    ring.consumer.give_back(handle);
    ASSERT_EQ(ring.producer.take(ring.handle), Look::kMessage) << n;
    ASSERT_EQ(ring.handle, handle);
  }
}

}  // namespace
}  // namespace comch::shm
