// Bounce: which bytes of a bounce area are free.
#include "transport/shm/bounce.h"

#include <gtest/gtest.h>

#include <limits>

namespace comch::transport::shm {
namespace {

constexpr std::uint64_t kSize = 64;
constexpr std::uint32_t kSlots = 4;

struct BounceTest : testing::Test {
  Bounce bounce{kSize, kSlots};
};

TEST_F(BounceTest, AllOfItIsFreeAtFirst) {
  EXPECT_EQ(bounce.room(1000).offset, 0U);
  EXPECT_EQ(bounce.room(1000).length, kSize);
  EXPECT_EQ(bounce.room(7).length, 7U);
}

TEST_F(BounceTest, APieceIsFreeWhenTheSlotThatSpeaksOfItIsRead) {
  bounce.take(40, 0);
  bounce.take(24, 2);
  EXPECT_EQ(bounce.room(1).length, 0U);
  bounce.free_before(0);
  EXPECT_EQ(bounce.room(1).length, 0U);
  bounce.free_before(1);
  EXPECT_EQ(bounce.room(kSize).offset, 0U);
  EXPECT_EQ(bounce.room(kSize).length, 40U);
  bounce.free_before(2);
  EXPECT_EQ(bounce.room(kSize).length, 40U) << "a message without a piece was read";
  bounce.free_before(3);
  EXPECT_EQ(bounce.room(kSize).length, kSize);
}

TEST_F(BounceTest, APieceEndsWhereTheAreaEnds) {
  bounce.take(48, 0);
  bounce.free_before(1);
  EXPECT_EQ(bounce.room(kSize).offset, 48U);
  EXPECT_EQ(bounce.room(kSize).length, 16U);
  bounce.take(16, 1);
  EXPECT_EQ(bounce.room(kSize).offset, 0U);
  EXPECT_EQ(bounce.room(kSize).length, 48U);
}

TEST_F(BounceTest, PositionsComeRound) {
  constexpr std::uint32_t kLast = std::numeric_limits<std::uint32_t>::max();
  for (std::uint32_t n = 0; n < 3 * kSlots; ++n) {
    const std::uint32_t position = kLast - kSlots + n;
    bounce.take(32, position);
    bounce.free_before(position);
    EXPECT_EQ(bounce.room(kSize).length, 32U) << n;
    bounce.free_before(position + 1);
    EXPECT_EQ(bounce.room(kSize).length, n % 2 == 0 ? 32U : kSize) << n;
  }
}

TEST(BounceOfNothingTest, HasNoRoom) { EXPECT_EQ(Bounce(0, kSlots).room(1).length, 0U); }

}  // namespace
}  // namespace comch::transport::shm
