// What Deadline, eventually() and the scaled numbers promise.
#include "support/deadline.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace comch::test {
namespace {

using std::chrono::milliseconds;

// Gives an environment variable a value for one test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) former_ = old;
    ::setenv(name, value, 1);
  }
  ~Variable() {
    if (former_.empty())
      ::unsetenv(name_);
    else
      ::setenv(name_, former_.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::string former_;
};

TEST(DeadlineTest, PassesAndHasNothingLeftThen) {
  const Deadline now(milliseconds(0));
  EXPECT_TRUE(now.passed());
  EXPECT_EQ(now.left_ms(), 0);
  const Deadline later(std::chrono::hours(1));
  EXPECT_FALSE(later.passed());
  EXPECT_GT(later.left_ms(), 3'000'000);
}

TEST(EventuallyTest, AsksUntilTheAnswerIsYes) {
  int asked = 0;
  EXPECT_TRUE(eventually([&] { return ++asked == 3; }));
  EXPECT_EQ(asked, 3);
}

TEST(EventuallyTest, SaysNoAfterTheDeadlineButAsksAtLeastOnce) {
  EXPECT_FALSE(eventually([] { return false; }, Deadline(milliseconds(5))));
  EXPECT_TRUE(eventually([] { return true; }, Deadline(milliseconds(0))));
}

TEST(BudgetTest, IsTheUsualOneUnlessTheRunSetsIt) {
  {
    const Variable unset("COMCH_TEST_BUDGET", "");
    EXPECT_EQ(budget(milliseconds(1500)), milliseconds(1500));
  }
  const Variable night("COMCH_TEST_BUDGET", "600");
  EXPECT_EQ(budget(milliseconds(1500)), std::chrono::minutes(10));
}

TEST(PatienceTest, GrowsWithASlowBuild) {
  const Variable slow("COMCH_TEST_SLOWDOWN", "3");
  EXPECT_EQ(patience(), std::chrono::seconds(90));
}

TEST(SeedTest, CanBeGivenAgain) {
  const Variable given("COMCH_TEST_SEED", "0x2a");
  EXPECT_EQ(seed(), 42U);
}

}  // namespace
}  // namespace comch::test
