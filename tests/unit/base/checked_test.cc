// Checked: against plain arithmetic in a wider type, for every pair of bytes.
//
// checked.h proves its edges with static_assert; here are all values of the narrowest type.
#include "base/checked.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

namespace comch {
namespace {

std::optional<std::uint8_t> fits(unsigned value) {
  if (value > 255) return std::nullopt;
  return static_cast<std::uint8_t>(value);
}

TEST(CheckedTest, SumsAndProductsOfAllBytesAreRightOrNothing) {
  for (unsigned a = 0; a < 256; ++a) {
    for (unsigned b = 0; b < 256; ++b) {
      const auto x = static_cast<std::uint8_t>(a);
      const auto y = static_cast<std::uint8_t>(b);
      ASSERT_EQ(checked_add(x, y), fits(a + b)) << a << " + " << b;
      ASSERT_EQ(checked_mul(x, y), fits(a * b)) << a << " * " << b;
    }
  }
}

TEST(CheckedTest, RoundingUpEveryByteIsRightOrNothing) {
  for (unsigned value = 0; value < 256; ++value) {
    for (unsigned step = 1; step < 256; step *= 2) {
      const unsigned rounded = (value + step - 1) / step * step;
      ASSERT_EQ(checked_round_up(static_cast<std::uint8_t>(value), static_cast<std::uint8_t>(step)),
                fits(rounded))
          << value << " to " << step;
    }
  }
}

TEST(CheckedTest, NarrowingIsRightOrNothing) {
  for (unsigned value = 0; value < 1024; ++value) {
    ASSERT_EQ(checked_narrow<std::uint8_t>(value), fits(value)) << value;
  }
}

TEST(ContainsTest, AgreesWithCountingForEveryRangeInASmallRegion) {
  for (std::uint64_t size = 0; size < 20; ++size) {
    for (std::uint64_t offset = 0; offset < 25; ++offset) {
      for (std::uint64_t length = 0; length < 25; ++length) {
        ASSERT_EQ(contains(size, {offset, length}), offset + length <= size)
            << size << ": " << offset << ", " << length;
      }
    }
  }
}

TEST(ContainsTest, NoRangeWrapsIntoTheRegion) {
  constexpr std::uint64_t kTop = ~std::uint64_t{0};
  for (std::uint64_t back = 0; back < 20; ++back) {
    EXPECT_FALSE(contains(4096, {kTop - back, back + 1}));
    EXPECT_FALSE(contains(4096, {back + 1, kTop - back}));
    EXPECT_FALSE(contains(4096, {kTop - back, kTop - back}));
  }
  EXPECT_TRUE(contains(kTop, {0, kTop}));
  EXPECT_TRUE(contains(kTop, {kTop, 0}));
}

}  // namespace
}  // namespace comch
