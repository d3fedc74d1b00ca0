// Log: what is said, what is dropped, and who hears it.
#include "comch/log.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/ration.h"
#include "base/say.h"

namespace comch {
namespace {

struct LogTest : testing::Test {
  LogTest() {
    set_log_sink(
        [this](LogLevel level, std::string_view line) { lines.emplace_back(level, line); });
  }
  ~LogTest() override {
    set_log_sink({});
    set_log_level(before);
  }

  const LogLevel before = log_level();
  std::vector<std::pair<LogLevel, std::string>> lines;
};

// Counts how often it is formatted.
struct Costly {
  int* formatted;
};

}  // namespace
}  // namespace comch

template <>
struct fmt::formatter<comch::Costly> : fmt::formatter<int> {
  auto format(const comch::Costly& value, fmt::format_context& context) const {
    return fmt::formatter<int>::format(++*value.formatted, context);
  }
};

namespace comch {
namespace {

TEST_F(LogTest, LinesAboveTheLevelAreDropped) {
  set_log_level(LogLevel::kWarning);
  log(LogLevel::kError, "e");
  log(LogLevel::kWarning, "w");
  log(LogLevel::kInfo, "i");
  log(LogLevel::kDebug, "d");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0], std::pair(LogLevel::kError, std::string("e")));
  EXPECT_EQ(lines[1], std::pair(LogLevel::kWarning, std::string("w")));
}

TEST_F(LogTest, OffIsSilentAndNoLevelOfALine) {
  set_log_level(LogLevel::kOff);
  log(LogLevel::kError, "e");
  set_log_level(LogLevel::kDebug);
  log(LogLevel::kOff, "o");
  EXPECT_TRUE(lines.empty());
}

TEST_F(LogTest, AServersNameCannotForgeALine) {
  say(LogLevel::kError, "server {}: refused", "mine\n<0>yours");
  log(LogLevel::kError, "servers/mine\nyours");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].second, "server mine\\n<0>yours: refused");
  EXPECT_EQ(lines[1].second, "servers/mine\\nyours");
}

TEST_F(LogTest, EveryLevelHasAWordAndNoOtherWordIsALevel) {
  EXPECT_EQ(parse_log_level("off"), LogLevel::kOff);
  EXPECT_EQ(parse_log_level("error"), LogLevel::kError);
  EXPECT_EQ(parse_log_level("warning"), LogLevel::kWarning);
  EXPECT_EQ(parse_log_level("info"), LogLevel::kInfo);
  EXPECT_EQ(parse_log_level("debug"), LogLevel::kDebug);
  for (const char* word : {"", "Error", "warn", "5"}) EXPECT_FALSE(parse_log_level(word)) << word;
}

TEST_F(LogTest, SayFormatsALine) {
  say(LogLevel::kError, "{} of {}", 1, "two");
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].second, "1 of two");
}

TEST_F(LogTest, ALineThatNobodyWantsIsNotFormatted) {
  int formatted = 0;
  set_log_level(LogLevel::kWarning);
  say(LogLevel::kInfo, "{}", Costly{&formatted});
  EXPECT_EQ(formatted, 0);
  say(LogLevel::kWarning, "{}", Costly{&formatted});
  EXPECT_EQ(formatted, 1);
}

TEST_F(LogTest, ASinkThatThrowsFailsNobody) {
  set_log_sink([](LogLevel, std::string_view) { throw 1; });
  say(LogLevel::kError, "x");
  set_log_sink([this](LogLevel level, std::string_view line) { lines.emplace_back(level, line); });
  say(LogLevel::kError, "y");
  EXPECT_EQ(lines.size(), 1u);
}

TEST_F(LogTest, OfLinesOfOneKindAFewAreTakenAndTheLastSaysSo) {
  for (int i = 0; i < 1000; ++i) log_rationed(LogLevel::kError, 7, "again");
  log_rationed(LogLevel::kError, 8, "another kind");
  ASSERT_EQ(lines.size(), Ration::kLines + 1);
  EXPECT_EQ(lines.front().second, "again");
  EXPECT_EQ(lines[Ration::kLines - 1].second, "again (more like it within 60 s are only counted)");
  EXPECT_EQ(lines.back().second, "another kind");
}

TEST_F(LogTest, WhoDebugsAndANewSinkGetThemAll) {
  for (int i = 0; i < 20; ++i) log_rationed(LogLevel::kError, 7, "again");
  set_log_level(LogLevel::kDebug);
  lines.clear();
  for (int i = 0; i < 20; ++i) log_rationed(LogLevel::kError, 7, "again");
  EXPECT_EQ(lines.size(), 20u);
  set_log_level(LogLevel::kWarning);
  set_log_sink([this](LogLevel level, std::string_view line) { lines.emplace_back(level, line); });
  log_rationed(LogLevel::kError, 7, "again");
  EXPECT_EQ(lines.size(), 21u);
}

TEST_F(LogTest, StandardErrorGetsOneLineWithItsLevel) {
  set_log_sink({});
  testing::internal::CaptureStderr();
  log(LogLevel::kWarning, "look out");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "comch warning: look out\n");
}

TEST_F(LogTest, TheJournalsSinkWritesItsPriorities) {
  set_log_sink(journal_sink());
  set_log_level(LogLevel::kDebug);
  testing::internal::CaptureStderr();
  log(LogLevel::kError, "e");
  log(LogLevel::kWarning, "w");
  log(LogLevel::kInfo, "i");
  log(LogLevel::kDebug, "d");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "<3>e\n<4>w\n<6>i\n<7>d\n");
}

TEST_F(LogTest, LinesOfManyThreadsStayWholeAndNoneIsLost) {
  constexpr int kThreads = 4;
  constexpr int kLines = 500;
  {
    std::vector<std::jthread> threads;
    threads.reserve(kThreads);
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([] {
        for (int i = 0; i < kLines; ++i) log(LogLevel::kError, "whole");
      });
    }
  }
  EXPECT_EQ(lines.size(), std::size_t{kThreads} * kLines);
  for (const auto& [level, line] : lines) ASSERT_EQ(line, "whole");
}

}  // namespace
}  // namespace comch
