// Fifo: pointers in their order, and nothing done to what they point at.
#include "base/fifo.h"

#include <gtest/gtest.h>

#include <array>
#include <utility>

namespace comch {
namespace {

class FifoTest : public testing::Test {
 protected:
  static Fifo<const int> of(std::size_t most) { return Fifo<const int>::create(most).value(); }

  const std::array<int, 5> things_{0, 1, 2, 3, 4};
};

TEST_F(FifoTest, GivesBackAsManyAsItIsForInTheirOrder) {
  Fifo<const int> fifo = of(things_.size());
  for (const int& thing : things_) fifo.push_back(thing);
  for (const int& thing : things_) EXPECT_EQ(fifo.pop_front(), &thing);
  EXPECT_EQ(fifo.pop_front(), nullptr);
}

TEST_F(FifoTest, GoesRoundAsOftenAsItIsUsed) {
  Fifo<const int> fifo = of(3);
  fifo.push_back(things_[0]);
  for (std::size_t n = 0; n < 1000; ++n) {
    fifo.push_back(things_[(n + 1) % things_.size()]);
    EXPECT_EQ(fifo.pop_front(), &things_[n % things_.size()]);
    EXPECT_FALSE(fifo.empty());
  }
}

TEST_F(FifoTest, IsEmptyAtFirstAndWhenItIsCleared) {
  Fifo<const int> fifo = of(2);
  EXPECT_TRUE(fifo.empty());
  fifo.push_back(things_[0]);
  fifo.clear();
  EXPECT_TRUE(fifo.empty());
  fifo.push_back(things_[1]);
  EXPECT_EQ(fifo.pop_front(), &things_[1]);
}

TEST_F(FifoTest, OfNothingIsEmpty) {
  Fifo<const int> fifo;
  EXPECT_TRUE(fifo.empty());
  EXPECT_EQ(fifo.pop_front(), nullptr);
}

TEST_F(FifoTest, TakesWhatItHoldsAlongWhenItIsMoved) {
  Fifo<const int> from = of(2);
  from.push_back(things_[0]);
  Fifo<const int> to;
  to = std::move(from);
  EXPECT_EQ(to.pop_front(), &things_[0]);
  EXPECT_TRUE(from.empty());  // NOLINT(bugprone-use-after-move): it holds nothing.
}

}  // namespace
}  // namespace comch
