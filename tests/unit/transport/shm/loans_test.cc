// Loans: the numbers of posted buffers that are lent out.
#include "transport/shm/loans.h"

#include <gtest/gtest.h>

#include <vector>

namespace comch::transport::shm {
namespace {

using comch::shm::Posted;

constexpr Posted posted(std::uint16_t index) {
  return {.offset = index * std::uint64_t{64}, .capacity = 64, .index = index};
}

TEST(LoansTest, ThereAreThirtyTwoAtATime) {
  Loans loans;
  EXPECT_FALSE(loans.any());
  for (std::uint16_t n = 0; n < Loans::kMost; ++n) {
    const auto number = loans.free();
    ASSERT_TRUE(number);
    loans.lend(*number, posted(n));
  }
  EXPECT_FALSE(loans.free());
  EXPECT_EQ(loans.left(), 0U);
  EXPECT_EQ(loans.end(7).index, 7);
  EXPECT_EQ(loans.left(), 1U);
  EXPECT_EQ(loans.free(), 7U);
}

TEST(LoansTest, EachNumberStandsForItsBufferUntilItsEnd) {
  Loans loans;
  loans.lend(3, posted(5));
  EXPECT_TRUE(loans.any());
  EXPECT_TRUE(loans.is_out(3));
  EXPECT_EQ(loans.posted(3).offset, 320U);
  EXPECT_EQ(loans.end(3).index, 5);
  EXPECT_FALSE(loans.is_out(3));
  EXPECT_FALSE(loans.any());
}

TEST(LoansTest, AnyNumberMayBeAskedFor) {
  const Loans loans;
  EXPECT_FALSE(loans.is_out(0));
  EXPECT_FALSE(loans.is_out(Loans::kMost));
  EXPECT_FALSE(loans.is_out(~0U));
}

TEST(LoansTest, AllAreEndedOnce) {
  Loans loans;
  loans.lend(0, posted(8));
  loans.lend(31, posted(9));
  std::vector<std::uint16_t> ended;
  const auto note = [&](const Posted& buffer) { ended.push_back(buffer.index); };
  loans.end_all(note);
  loans.end_all(note);
  EXPECT_EQ(ended, (std::vector<std::uint16_t>{8, 9}));
  EXPECT_FALSE(loans.any());
}

}  // namespace
}  // namespace comch::transport::shm
