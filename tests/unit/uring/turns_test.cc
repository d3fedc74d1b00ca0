// Turns: which ring is taken for one that answers, and what it looks at for longer.
#include "uring/turns.h"

#include <gtest/gtest.h>

namespace comch::uring {
namespace {

constexpr int kSource = 0;
constexpr int kOther = 0;

TEST(Turns, LengthenNoLookAtFirst) {
  Turns turns;
  EXPECT_EQ(turns.looks(&kSource), 0);
  turns.sent();
  EXPECT_EQ(turns.looks(&kSource), 0) << "it may be all that it sends";
}

TEST(Turns, LengthenThoseOfARingThatAnswers) {
  Turns turns;
  for (int n = 0; n < 3; ++n) {
    turns.sent();
    turns.received(&kSource);
    EXPECT_EQ(turns.looks(&kSource), Turns::kLooks);
  }
}

TEST(Turns, LengthenNoneOfARingThatOnlyReceives) {
  Turns turns;
  turns.sent();
  turns.received(&kSource);
  turns.received(&kSource);
  EXPECT_EQ(turns.looks(&kSource), 0);
}

TEST(Turns, LengthenNoneAtAnotherSource) {
  Turns turns;
  turns.sent();
  turns.received(&kSource);
  EXPECT_EQ(turns.looks(&kOther), 0);
  EXPECT_EQ(turns.looks(&kSource), Turns::kLooks);
}

TEST(Turns, EndWhenTheAnswerDoesNotCome) {
  Turns turns;
  turns.sent();
  turns.received(&kSource);
  for (int n = 0; n < Turns::kPatience; ++n) ASSERT_EQ(turns.looks(&kSource), Turns::kLooks) << n;
  EXPECT_EQ(turns.looks(&kSource), 0);
}

}  // namespace
}  // namespace comch::uring
