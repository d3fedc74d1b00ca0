// OptionValues: what an option takes, and what is said of the rest.
#include "tool/option_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace comch::tool {
namespace {

using testing::EndsWith;

struct OptionValuesTest : testing::Test {
  OptionValuesTest() {
    takes_count(app.add_option("--count", count));
    takes_seconds(app.add_option("--time", seconds));
    add_choice<int>(app, "--to", to, "whom", words);
  }
  // What is said of a command line; empty when it is taken.
  std::string said_of(const std::string& line) {
    try {
      app.parse(line);
    } catch (const CLI::ParseError& error) {
      return error.what();
    }
    return "";
  }

  CLI::App app{"test", "test"};
  std::optional<std::uint64_t> count;
  std::optional<double> seconds;
  int to = 0;
  const std::map<std::string, int> words{{"all", 1}, {"first", 2}};
};

TEST_F(OptionValuesTest, CountIsAWholeNumberAboveZero) {
  EXPECT_EQ(said_of("--count 3"), "");
  EXPECT_EQ(count, 3u);
  for (const std::string bad : {"0", "-1", "3x", "x", "1.5", "99999999999999999999"}) {
    EXPECT_THAT(said_of("--count " + bad), EndsWith('"' + bad + "\" is no whole number above 0"));
  }
}

TEST_F(OptionValuesTest, SecondsHaveAPointOrNoneAndNoSign) {
  EXPECT_EQ(said_of("--time 0.5"), "");
  EXPECT_EQ(seconds, 0.5);
  EXPECT_EQ(said_of("--time 0"), "");
  for (const std::string bad : {"-1", "5s", "nan", "inf", "soon"}) {
    EXPECT_THAT(said_of("--time " + bad),
                EndsWith('"' + bad + "\" is no number of seconds, such as 10 or 0.5"));
  }
}

TEST_F(OptionValuesTest, SecondsMayHaveLimits) {
  std::optional<double> limited;
  takes_seconds(app.add_option("--limited", limited), 0.5, 2);
  EXPECT_EQ(said_of("--limited 0.5"), "");
  EXPECT_EQ(limited, 0.5);
  EXPECT_EQ(said_of("--limited 2"), "");
  for (const std::string bad : {"0.4", "2.1", "-1", "nan", "-nan", "inf", "1s"}) {
    EXPECT_THAT(said_of("--limited " + bad),
                EndsWith('"' + bad + "\" is no number of seconds from 0.5 to 2"));
  }
}

TEST_F(OptionValuesTest, ChoiceIsOneOfItsWords) {
  EXPECT_EQ(said_of("--to first"), "");
  EXPECT_EQ(to, 2);
  EXPECT_THAT(said_of("--to some"), EndsWith("\"some\" is none of all|first"));
}

}  // namespace
}  // namespace comch::tool
