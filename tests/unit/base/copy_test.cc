// Copy: every routine copies exactly what it is told to, at each alignment and around each limit.
#include "base/copy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
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

// A routine is chosen by the length of the whole message, of which a part may be short, and by what
// stores the processor has.
struct Routine {
  const char* name;
  std::uint64_t message;
  bool narrow = false;  // As on a processor without wide stores.

  void copy(std::byte* to, const std::byte* from, std::size_t size) const {
    if (narrow) {
      copy_streaming(to, from, size, Stores::kNarrow);
    } else {
      copy_part(to, from, size, message);
    }
  }
};
struct CopyTest : testing::TestWithParam<Routine> {
  // Copies `size` bytes from `from_skew` to `to_skew` behind a multiple of 64, and looks at
  // everything around.
  void expect_copied(std::size_t size, std::size_t to_skew, std::size_t from_skew) {
    std::ranges::fill(to_, kUntouched);
    std::byte* const to = to_.data() + kLine + to_skew;
    const std::byte* const from = from_.data() + from_skew;
    GetParam().copy(to, from, size);
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
  GetParam().copy(to.data() + 5, from.data() + 3, kPiece);
  EXPECT_TRUE(std::equal(from.begin() + 3, from.end(), to.begin() + 5));
  EXPECT_EQ(to[4], kUntouched);
  EXPECT_EQ(to[kPiece + 5], kUntouched);
}

INSTANTIATE_TEST_SUITE_P(Routines, CopyTest,
                         testing::Values(Routine{"Short", 1},
                                         Routine{"LongestOfMemcpy", kStringCopy - 1},
                                         Routine{"ShortestOfString", kStringCopy},
                                         Routine{"LongestOfString", kStreamingCopy - 1},
                                         Routine{"ShortestOfStreaming", kStreamingCopy},
                                         Routine{"NarrowStreaming", kStreamingCopy, true},
                                         Routine{"Longest", std::uint64_t{1} << 47U}),
                         [](const auto& tested) { return tested.param.name; });

TEST(CopyWholeTest, CopiesAMessageFarAboveAnyCache) {
  constexpr std::size_t kSize = kStreamingCopy + 4099;
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
  EXPECT_DEATH(GetParam().copy(to.data(), from.data(), kSize), "heap-buffer-overflow");
}
#endif

}  // namespace
}  // namespace comch
