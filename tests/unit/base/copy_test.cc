// Copy: every routine copies exactly what it is told to, at each alignment and around each limit.
#include "base/copy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "support/sanitizers.h"

namespace comch {
namespace {

constexpr std::byte kUntouched{0xa5};

// Bytes that show what is missing or out of place.
std::byte at(std::size_t n) { return static_cast<std::byte>(n * 7 + n / 251); }

std::vector<std::byte> source(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t n = 0; n < size; ++n) bytes[n] = at(n);
  return bytes;
}

// All that this processor has.
std::vector<Copying> routines() {
  std::vector<Copying> all{Copying::kMemcpy, Copying::kString, Copying::kNarrowStream};
  if (this_processor().wide_stores) all.push_back(Copying::kWideStream);
  return all;
}
std::string name_of(Copying how) {
  switch (how) {
    case Copying::kMemcpy:
      return "Memcpy";
    case Copying::kString:
      return "String";
    case Copying::kNarrowStream:
      return "NarrowStream";
    case Copying::kWideStream:
      break;
  }
  return "WideStream";
}

struct CopyTest : testing::TestWithParam<Copying> {
  // Copies `size` bytes from `from_skew` to `to_skew` behind a multiple of 64, and looks at
  // everything around.
  void expect_copied(std::size_t size, std::size_t to_skew, std::size_t from_skew) {
    std::ranges::fill(to_, kUntouched);
    std::byte* const to = to_.data() + kLine + to_skew;
    const std::byte* const from = from_.data() + from_skew;
    copy_by(GetParam(), to, from, size);
    ASSERT_TRUE(std::equal(to, to + size, from)) << size << ' ' << to_skew << ' ' << from_skew;
    const auto is_untouched = [](std::byte b) { return b == kUntouched; };
    ASSERT_TRUE(std::all_of(to_.data(), to, is_untouched)) << size << " in front";
    ASSERT_TRUE(std::all_of(to + size, to_.data() + to_.size(), is_untouched)) << size << " behind";
  }

  static constexpr std::size_t kLine = 64;
  static constexpr std::size_t kMost = 1024;

  alignas(kLine) std::array<std::byte, kMost + 4 * kLine> to_{};
  std::vector<std::byte> from_ = source(kMost + kLine);
};

TEST_P(CopyTest, CopiesEveryShortLength) {
  for (std::size_t size = 0; size <= 300; ++size) expect_copied(size, 0, 0);
}

TEST_P(CopyTest, CopiesAtEveryAlignment) {
  for (std::size_t to = 0; to < kLine; ++to) {
    for (const std::size_t from : {std::size_t{0}, std::size_t{1}, std::size_t{15}, to}) {
      for (const std::size_t size : {kLine - 1, kLine, 2 * kLine - 1, 2 * kLine, 2 * kLine + 1,
                                     3 * kLine - to, 3 * kLine - to + 1, kMost - 1, kMost}) {
        expect_copied(size, to, from);
      }
    }
  }
}

TEST_P(CopyTest, CopiesAPieceOfALongMessage) {
  constexpr std::size_t kPiece = (std::size_t{1} << 20U) + 17;
  const std::vector<std::byte> from = source(kPiece + 3);
  std::vector<std::byte> to(kPiece + 8, kUntouched);
  copy_by(GetParam(), to.data() + 5, from.data() + 3, kPiece);
  EXPECT_TRUE(std::equal(from.begin() + 3, from.end(), to.begin() + 5));
  EXPECT_EQ(to[4], kUntouched);
  EXPECT_EQ(to[kPiece + 5], kUntouched);
}

INSTANTIATE_TEST_SUITE_P(Routines, CopyTest, testing::ValuesIn(routines()),
                         [](const auto& tested) { return name_of(tested.param); });

struct BestCopyingTest : testing::Test {
  static constexpr std::uint64_t kMib = std::uint64_t{1} << 20U;

  Processor modern{.fast_string_copy = true, .wide_stores = true, .last_cache = 32 * kMib};
  Processor old{.wide_stores = true, .last_cache = 8 * kMib};
};

TEST_F(BestCopyingTest, IsTheStringInstructionBetweenTheCaches) {
  EXPECT_EQ(best_copying(kLongCopy - 1, modern), Copying::kMemcpy);
  EXPECT_EQ(best_copying(kLongCopy, modern), Copying::kString);
  EXPECT_EQ(best_copying(8 * kMib - 1, modern), Copying::kString);
  EXPECT_EQ(best_copying(8 * kMib, modern), Copying::kWideStream);
  EXPECT_EQ(best_copying(std::uint64_t{1} << 47U, modern), Copying::kWideStream);
}

TEST_F(BestCopyingTest, IsNeverASlowStringInstruction) {
  EXPECT_EQ(best_copying(kLongCopy, old), Copying::kMemcpy);
  EXPECT_EQ(best_copying(4 * kMib - 1, old), Copying::kMemcpy);
}

TEST_F(BestCopyingTest, IsPastTheCachesWhereTwoWouldFillTheLastOne) {
  EXPECT_EQ(best_copying(4 * kMib, old), Copying::kWideStream);
  modern.last_cache = 2 * kMib;
  EXPECT_EQ(best_copying(kMib - 1, modern), Copying::kString);
  EXPECT_EQ(best_copying(kMib, modern), Copying::kWideStream);
  modern.last_cache = kMib / 4;
  EXPECT_EQ(best_copying(kLongCopy - 1, modern), Copying::kMemcpy);
  EXPECT_EQ(best_copying(kLongCopy, modern), Copying::kWideStream);
}

TEST_F(BestCopyingTest, GoesByTheLimitsOfTheLargestWhereNothingIsKnown) {
  EXPECT_EQ(best_copying(8 * kMib - 1, Processor{}), Copying::kMemcpy);
  EXPECT_EQ(best_copying(8 * kMib, Processor{}), Copying::kNarrowStream);
}

TEST(CopyPartTest, CopiesAPieceOfAMessageOfEachLength) {
  const std::vector<std::byte> from = source(4099);
  for (const std::uint64_t message : {std::uint64_t{4099}, kLongCopy - 1, kLongCopy,
                                      kMostCached - 1, kMostCached, std::uint64_t{1} << 47U}) {
    std::vector<std::byte> to(from.size() + 1, kUntouched);
    copy_part(to.data(), from.data(), from.size(), message);
    EXPECT_TRUE(std::equal(from.begin(), from.end(), to.begin())) << message;
    EXPECT_EQ(to.back(), kUntouched) << message;
  }
}

TEST(CopyWholeTest, CopiesAMessageFarAboveAnyCache) {
  constexpr std::size_t kSize = kMostCached + 4099;
  const std::vector<std::byte> from = source(kSize);
  const auto to = std::make_unique_for_overwrite<std::byte[]>(kSize + 1);
  to[kSize] = kUntouched;
  copy_part(to.get(), from.data(), kSize, kSize);
  EXPECT_TRUE(std::equal(from.begin(), from.end(), to.get()));
  EXPECT_EQ(to[kSize], kUntouched);
}

#if COMCH_ADDRESS_SANITIZER
// A copy out of bounds is seen, whichever routine makes it.
TEST_P(CopyTest, IsVisibleToTheSanitizer) {
  constexpr std::size_t kSize = 256;
  const std::vector<std::byte> from(kSize);
  std::vector<std::byte> to(kSize - 1);
  EXPECT_DEATH(copy_by(GetParam(), to.data(), from.data(), kSize), "heap-buffer-overflow");
}

TEST(CopyPartTest, IsVisibleToTheSanitizer) {
  const std::vector<std::byte> from(256);
  std::vector<std::byte> to(255);
  for (const std::uint64_t message : {std::uint64_t{256}, kLongCopy, kMostCached}) {
    EXPECT_DEATH(copy_part(to.data(), from.data(), from.size(), message), "heap-buffer-overflow");
  }
}
#endif

}  // namespace
}  // namespace comch
