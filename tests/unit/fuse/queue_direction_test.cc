// The words for which way the messages of a MsgQ go.
#include "queue_direction.h"

#include <gtest/gtest.h>

namespace comch::fuse {
namespace {

TEST(QueueDirectionTest, EveryDirectionIsReadAsItIsShown) {
  for (const auto direction :
       {QueueDirection::kBoth, QueueDirection::kToAccelerator, QueueDirection::kFromAccelerator}) {
    EXPECT_EQ(parse_direction(name(direction)), direction) << name(direction);
  }
}

TEST(QueueDirectionTest, NothingElseIsADirection) {
  for (const char* text : {"", "Both", "both ", "to", "to_accelerator", "from-accelerator\n"}) {
    EXPECT_EQ(parse_direction(text), std::nullopt) << text;
  }
}

TEST(QueueDirectionTest, BothGoesEachWay) {
  EXPECT_TRUE(goes_to_accelerator(QueueDirection::kBoth));
  EXPECT_TRUE(goes_from_accelerator(QueueDirection::kBoth));
  EXPECT_FALSE(goes_from_accelerator(QueueDirection::kToAccelerator));
  EXPECT_FALSE(goes_to_accelerator(QueueDirection::kFromAccelerator));
}

}  // namespace
}  // namespace comch::fuse
