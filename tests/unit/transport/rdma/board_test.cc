// Board: what is written is what is read, and half a descriptor is none.
#include "transport/rdma/board.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "unit/wire/format_example.h"

namespace comch::transport::rdma {
namespace {

constexpr std::uint32_t kDepth = 4;
constexpr std::uint32_t kSlots = posted_slots(kDepth);
constexpr std::uint64_t kMap = 1U << 20U;

struct RdmaBoardTest : testing::Test {
  BoardLook read(std::uint32_t position) {
    return read_posted(board.data(), position, kDepth, kMap, posted);
  }
  void write(std::uint32_t position, const Posted& what) {
    write_posted(board.data(), position, kSlots, what);
  }
  alignas(64) std::array<std::byte, board_size(kDepth)> board{};
  Posted posted;
};

TEST_F(RdmaBoardTest, AnEmptyBoardHasNothing) { EXPECT_EQ(read(0), BoardLook::kNothing); }

TEST_F(RdmaBoardTest, ReadsWhatWasWrittenInEveryLap) {
  for (std::uint32_t position = 0; position < 600 * kSlots; ++position) {
    const Posted sent{.offset = position, .capacity = position * 7 % 1000, .index = 3};
    ASSERT_EQ(read(position), BoardLook::kNothing) << position;
    write(position, sent);
    ASSERT_EQ(read(position), BoardLook::kPosted) << position;
    ASSERT_EQ(posted, sent);
    ASSERT_EQ(read(position + kSlots), BoardLook::kNothing) << "the lap before, not this one";
  }
}

// The example of FORMAT.md.
TEST_F(RdmaBoardTest, IsWhatFormatMdSays) {
  write(3, {.offset = 0x3000, .capacity = 4096, .index = 3});
  const std::vector<std::byte> example = test::documented("descriptor");
  EXPECT_TRUE(std::ranges::equal(example, std::span(board).subspan(0x70, shm::kPostedSize)));
}

TEST_F(RdmaBoardTest, ABufferNeedNotBeThere) {
  write(0, {.offset = shm::kNoBuffer, .capacity = 0, .index = 1});
  ASSERT_EQ(read(0), BoardLook::kPosted);
  EXPECT_FALSE(posted.has_buffer());
}

// A device of software may write byte by byte, from the lowest; and any word before another.
TEST_F(RdmaBoardTest, HalfADescriptorIsNone) {
  write(0, {.offset = 0xffff, .capacity = 0xff, .index = 2});
  const auto whole = board;
  for (std::size_t bytes = 0; bytes < shm::kPostedSize; ++bytes) {
    board.fill(std::byte{0});
    std::copy_n(whole.begin() + kBoardSlots, bytes, board.begin() + kBoardSlots);
    EXPECT_EQ(read(0), BoardLook::kNothing) << bytes << " bytes";
  }
  board = whole;
  std::fill_n(board.begin() + kBoardSlots, 8, std::byte{0});
  EXPECT_EQ(read(0), BoardLook::kNothing) << "the second word alone";
}

TEST_F(RdmaBoardTest, ARoomOutsideOfTheMapOrAnIndexBeyondTheDepthIsALie) {
  write(0, {.offset = kMap - 8, .capacity = 8, .index = 3});
  EXPECT_EQ(read(0), BoardLook::kPosted);
  for (const Posted& lie : {Posted{.offset = kMap - 8, .capacity = 9, .index = 0},
                            Posted{.offset = kMap + 1, .capacity = 0, .index = 0},
                            Posted{.offset = (1ULL << 56U) - 1, .capacity = 1, .index = 0},
                            Posted{.offset = (1ULL << 56U) - 2, .capacity = 2, .index = 0},
                            Posted{.offset = 0, .capacity = 8, .index = kDepth}}) {
    write(0, lie);
    EXPECT_EQ(read(0), BoardLook::kBroken) << lie.offset << " " << lie.capacity;
  }
}

}  // namespace
}  // namespace comch::transport::rdma
