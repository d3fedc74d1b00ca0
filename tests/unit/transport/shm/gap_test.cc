// Gap: how it follows what waits take.
#include "transport/shm/gap.h"

#include <gtest/gtest.h>

namespace comch::transport::shm {
namespace {

// Something comes after so many empty polls.
void wait(Gap& gap, int polls) {
  for (int n = 0; n < polls; ++n) gap.polled(false);
  gap.polled(true);
}

TEST(Gap, IsShortAtFirstAndWhereThereIsAlwaysSomething) {
  Gap gap;
  EXPECT_EQ(gap.pauses(), Gap::kShort);
  for (int n = 0; n < 3; ++n) gap.polled(true);
  EXPECT_EQ(gap.pauses(), Gap::kShort);
}

TEST(Gap, StaysShortWhereAnswersAreThereWithinAFewLooks) {
  Gap gap;
  for (int n = 0; n < 3; ++n) {
    wait(gap, 5);
    EXPECT_EQ(gap.pauses(), Gap::kShort);
  }
}

TEST(Gap, IsLongWhereTheyAreLongInComing) {
  Gap gap;
  wait(gap, 6);
  EXPECT_EQ(gap.pauses(), Gap::kLong);
}

TEST(Gap, StaysLongWithAnswersThatTakeAsLongThoughItLooksLessOften) {
  Gap gap;
  wait(gap, 6);
  for (int n = 0; n < 3; ++n) {
    wait(gap, 3);
    EXPECT_EQ(gap.pauses(), Gap::kLong);
  }
}

TEST(Gap, IsShortAgainWithTheFirstThatIsThereSoon) {
  Gap gap;
  wait(gap, 100);
  wait(gap, 2);
  EXPECT_EQ(gap.pauses(), Gap::kShort);
}

TEST(Gap, DoesNotChangeDuringAWait) {
  Gap gap;
  for (int n = 0; n < 100; ++n) {
    gap.polled(false);
    EXPECT_EQ(gap.pauses(), Gap::kShort);
  }
}

}  // namespace
}  // namespace comch::transport::shm
