// The contract of FastMachine and of the word-wise copies.
#include "shm/fast_machine.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace comch::shm {
namespace {

struct FastMachineTest : testing::Test {
  alignas(8) std::array<std::byte, 128> shared{};
};

TEST_F(FastMachineTest, ASwapHappensOnlyWhenTheWordIsAsExpected) {
  std::uint64_t expected = 1;
  EXPECT_FALSE(FastMachine::swap_word(shared.data(), 8, expected, 5, std::memory_order_relaxed));
  EXPECT_EQ(expected, 0U);
  EXPECT_TRUE(FastMachine::swap_word(shared.data(), 8, expected, 5, std::memory_order_relaxed));
  EXPECT_EQ(FastMachine::load_word(shared.data(), 8), 5U);
  EXPECT_EQ(FastMachine::add_word(shared.data(), 8, 2, std::memory_order_relaxed), 5U);
  EXPECT_EQ(FastMachine::load_word(shared.data(), 8), 7U);
}

TEST_F(FastMachineTest, EveryLengthIsCopiedWholeAndNothingBehindIt) {
  std::array<std::byte, 112> from;
  for (std::size_t n = 0; n < from.size(); ++n) from[n] = static_cast<std::byte>(n + 1);
  for (std::size_t size = 0; size <= from.size(); ++size) {
    shared.fill(std::byte{0xee});
    copy_words_in<FastMachine>(shared.data(), 16, from.data(), size);
    EXPECT_EQ(std::memcmp(shared.data() + 16, from.data(), size), 0) << size;
    for (std::size_t n = 16 + size; n < shared.size(); ++n) {
      EXPECT_EQ(shared[n], std::byte{0xee}) << size;
    }
    std::array<std::byte, 113> to;
    to.fill(std::byte{0xdd});
    copy_words_out<FastMachine>(to.data(), shared.data(), 16, size);
    EXPECT_EQ(std::memcmp(to.data(), from.data(), size), 0) << size;
    EXPECT_EQ(to[size], std::byte{0xdd}) << size;
  }
}

}  // namespace
}  // namespace comch::shm
