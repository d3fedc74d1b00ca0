// Turns: who is taken for one that answers.
#include "engine/turns.h"

#include <gtest/gtest.h>

namespace comch::engine {
namespace {

TEST(Turns, AreNotNearAtFirst) { EXPECT_FALSE(Turns().is_near()); }

TEST(Turns, AreNearForWhoSubmitsSomethingBetweenMessages) {
  Turns turns;
  turns.received();
  turns.completed();
  EXPECT_FALSE(turns.is_near()) << "it may be all that it sends";
  for (int n = 0; n < 3; ++n) {
    turns.received();
    EXPECT_TRUE(turns.is_near());
    turns.completed();
    EXPECT_TRUE(turns.is_near());
  }
}

TEST(Turns, AreNotNearForWhoOnlyReceives) {
  Turns turns;
  turns.completed();
  turns.received();
  turns.received();
  EXPECT_FALSE(turns.is_near());
}

TEST(Turns, AreNotNearForWhoOnlySends) {
  Turns turns;
  for (int n = 0; n < 3; ++n) turns.completed();
  EXPECT_FALSE(turns.is_near());
}

TEST(Turns, AreNotNearAnyMoreWhenTheAnswerDoesNotCome) {
  Turns turns;
  turns.completed();
  turns.received();
  for (int n = 0; n < Turns::kLooks; ++n) ASSERT_TRUE(turns.is_near()) << n;
  for (int n = 0; n < 3; ++n) EXPECT_FALSE(turns.is_near());
}

}  // namespace
}  // namespace comch::engine
