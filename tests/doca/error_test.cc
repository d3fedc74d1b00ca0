// doca_error: names and sentences, and that the numbers are the engine's.
#include <doca_error.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>

#include "comch/result.h"

namespace comch::test {
namespace {

constexpr int kErrors = DOCA_ERROR_SKIPPED + 1;

// NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange): what a wrong program passes.
doca_error_t error_of(int number) { return static_cast<doca_error_t>(number); }

TEST(ErrorTest, EveryNumberIsTheEnginesOfTheSameName) {
  for (int number = 1; number < kErrors; ++number) {
    std::string upper(name(static_cast<Errc>(number)));
    std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return std::toupper(c); });
    // The engine separates two words that the API runs together.
    if (upper == "CONNECTION_IN_PROGRESS") upper = "CONNECTION_INPROGRESS";
    EXPECT_EQ(doca_error_get_name(error_of(number)), "DOCA_ERROR_" + upper);
  }
  EXPECT_STREQ(doca_error_get_name(DOCA_SUCCESS), "DOCA_SUCCESS");
}

TEST(ErrorTest, EveryErrorHasASentenceOfItsOwn) {
  std::set<std::string> sentences;
  for (int number = 0; number < kErrors; ++number) {
    EXPECT_TRUE(sentences.insert(doca_error_get_descr(error_of(number))).second) << number;
  }
  EXPECT_FALSE(sentences.contains(""));
}

TEST(ErrorTest, ANumberThatIsNoErrorSaysSo) {
  EXPECT_STREQ(doca_error_get_name(error_of(kErrors)), "DOCA_ERROR_<no such number>");
  EXPECT_STREQ(doca_error_get_descr(error_of(kErrors)), "There is no error of this number");
}

TEST(ErrorTest, PropagateKeepsTheFirstFailure) {
  doca_error_t result = DOCA_SUCCESS;
  DOCA_ERROR_PROPAGATE(result, DOCA_SUCCESS);
  EXPECT_FALSE(DOCA_IS_ERROR(result));
  DOCA_ERROR_PROPAGATE(result, DOCA_ERROR_AGAIN);
  DOCA_ERROR_PROPAGATE(result, DOCA_ERROR_IN_USE);
  EXPECT_EQ(result, DOCA_ERROR_AGAIN);
  EXPECT_TRUE(DOCA_IS_ERROR(result));
}

}  // namespace
}  // namespace comch::test
