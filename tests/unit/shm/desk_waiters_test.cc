// DeskWaiters, one thread at a time. The interleavings are desk_model's.
#include "shm/desk_waiters.h"

#include <gtest/gtest.h>

#include "shm/fast_machine.h"

namespace comch::shm {
namespace {

TEST(DeskWaitersTest, ThereAreSomeFromTheFirstThatBeginsToTheLastThatEnds) {
  DeskWaiters<FastMachine> waiters;
  EXPECT_FALSE(waiters.any());
  waiters.begin();
  EXPECT_TRUE(waiters.any());
  waiters.begin();
  waiters.end();
  EXPECT_TRUE(waiters.any());
  waiters.end();
  EXPECT_FALSE(waiters.any());
}

}  // namespace
}  // namespace comch::shm
