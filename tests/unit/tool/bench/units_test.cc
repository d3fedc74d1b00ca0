// Units: what people write is read, and what is shown has three digits that count.
#include "tool/bench/units.h"

#include <gtest/gtest.h>

namespace comch::tool {
namespace {

TEST(ParseSizeTest, UnderstandsBytesAndTheirMultiples) {
  EXPECT_EQ(parse_size("8"), 8u);
  EXPECT_EQ(parse_size("8B"), 8u);
  EXPECT_EQ(parse_size("64K"), 65536u);
  EXPECT_EQ(parse_size("64k"), 65536u);
  EXPECT_EQ(parse_size("64KiB"), 65536u);
  EXPECT_EQ(parse_size("64M"), std::size_t{64} << 20U);
  EXPECT_EQ(parse_size("1MiB"), std::size_t{1} << 20U);
}

TEST(ParseSizeTest, RefusesWhatIsNoSize) {
  for (const char* text : {"", "K", "-1", "1.5K", "8 ", " 8", "8KB", "0x10", "8KK", "1G"}) {
    EXPECT_EQ(parse_size(text), std::nullopt) << '"' << text << '"';
  }
}

TEST(ParseSizeTest, RefusesWhatDoesNotFit) {
  EXPECT_EQ(parse_size("18446744073709551616"), std::nullopt);
  EXPECT_EQ(parse_size("18446744073709551615M"), std::nullopt);
}

TEST(UnitsTest, SizesHaveTheLargestUnitThatDividesThem) {
  EXPECT_EQ(size_text(8), "8 B");
  EXPECT_EQ(size_text(4080), "4080 B");
  EXPECT_EQ(size_text(4096), "4 KiB");
  EXPECT_EQ(size_text(std::size_t{64} << 20U), "64 MiB");
}

TEST(UnitsTest, EverySizeThatIsShownCanBeReadAgain) {
  for (const std::size_t size : {1U, 8U, 1000U, 4096U, 5U << 20U, 64U << 20U}) {
    std::string text = size_text(size);
    text.erase(text.find(' '), 1);
    EXPECT_EQ(parse_size(text), size);
  }
}

TEST(UnitsTest, FiguresHaveThreeDigitsThatCount) {
  EXPECT_EQ(duration_text(0), "0 ns");
  EXPECT_EQ(duration_text(7), "7.00 ns");
  EXPECT_EQ(duration_text(160), "160 ns");
  EXPECT_EQ(duration_text(4210), "4.21 us");
  EXPECT_EQ(duration_text(42'100), "42.1 us");
  EXPECT_EQ(duration_text(4.21e6), "4.21 ms");
  EXPECT_EQ(duration_text(4.21e9), "4.21 s");
  EXPECT_EQ(duration_text(4.21e12), "4210 s");
  EXPECT_EQ(rate_text(12.3e6), "12.3 M");
  EXPECT_EQ(bytes_text(9.87e9), "9.87 GB");
}

TEST(UnitsTest, RoundingNeverShowsAThousandOfTheSmallerUnit) {
  EXPECT_EQ(duration_text(999.4), "999 ns");
  EXPECT_EQ(duration_text(999.6), "1.00 us");
  EXPECT_EQ(duration_text(9'996), "10.0 us");
  EXPECT_EQ(duration_text(99'960), "100 us");
}

}  // namespace
}  // namespace comch::tool
