// Patience: who is taken for one that answers, and how often it looks.
#include "transport/patience.h"

#include <gtest/gtest.h>

namespace comch::transport {
namespace {

constexpr int kWho = 0;
constexpr int kOther = 0;

TEST(Patience, IsNotThereAtFirst) {
  Patience patience;
  EXPECT_FALSE(patience.is_near(&kWho));
  patience.received(&kWho);
  EXPECT_FALSE(patience.is_near(&kWho));
}

TEST(Patience, IsThereForWhoAnswersWhatComes) {
  Patience patience;
  patience.received(&kWho);
  patience.answered();
  EXPECT_FALSE(patience.is_near(&kWho)) << "it may be all that it sends";
  for (int n = 0; n < 3; ++n) {
    patience.received(&kWho);
    EXPECT_TRUE(patience.is_near(&kWho));
    patience.answered();
    EXPECT_TRUE(patience.is_near(&kWho));
  }
}

TEST(Patience, IsThereForWhoAnswersWhatComesInParts) {
  Patience patience;
  for (int n = 0; n < 3; ++n) {
    patience.answered();
    for (int part = 0; part < Patience::kUnanswered; ++part) {
      patience.received(&kWho);
      EXPECT_TRUE(patience.is_near(&kWho));
    }
  }
}

TEST(Patience, IsNotThereForWhoOnlyReceives) {
  Patience patience;
  patience.answered();
  for (int n = 0; n <= Patience::kUnanswered; ++n) patience.received(&kWho);
  EXPECT_FALSE(patience.is_near(&kWho));
}

TEST(Patience, IsNotThereForWhoOnlySends) {
  Patience patience;
  for (int n = 0; n < 3; ++n) patience.answered();
  EXPECT_FALSE(patience.is_near(&kWho));
}

TEST(Patience, IsNotThereForOthersThanWhoBroughtTheLastMessage) {
  Patience patience;
  patience.answered();
  patience.received(&kWho);
  EXPECT_FALSE(patience.is_near(&kOther));
  EXPECT_EQ(patience.looks(&kOther), 1);
  patience.answered();
  patience.received(&kOther);
  EXPECT_TRUE(patience.is_near(&kOther));
  EXPECT_FALSE(patience.is_near(&kWho));
}

TEST(Patience, EndsWhenTheAnswerDoesNotCome) {
  Patience patience;
  patience.answered();
  patience.received(&kWho);
  for (int n = 0; n < Patience::kCalls; ++n)
    ASSERT_EQ(patience.looks(&kWho), Patience::kLooks) << n;
  EXPECT_FALSE(patience.is_near(&kWho));
  for (int n = 0; n < 3; ++n) EXPECT_EQ(patience.looks(&kWho), 1);
}

// How often a poll looks that finds something at the `at`-th look, or nothing.
int looks_of(Patience& patience, int at = 0) {
  int looks = 0;
  EXPECT_EQ(patience.look(&kWho, [&] { return ++looks == at; }), at != 0);
  return looks;
}

TEST(Patience, LooksTwiceWithoutAnAnswerToCome) {
  Patience patience;
  EXPECT_EQ(looks_of(patience), 2);
  EXPECT_EQ(looks_of(patience, 1), 1);
  EXPECT_EQ(looks_of(patience, 2), 2);
}

TEST(Patience, LooksUntilTheAnswerIsThereButNotForLong) {
  Patience patience;
  patience.answered();
  patience.received(&kWho);
  EXPECT_EQ(looks_of(patience), 1 + Patience::kLooks);
  EXPECT_EQ(looks_of(patience, 1), 1);
  EXPECT_EQ(looks_of(patience, 5), 5);
}

}  // namespace
}  // namespace comch::transport
