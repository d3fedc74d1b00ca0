// Report: the table's lines, and the shape of the JSON that scripts rely on.
#include "tool/bench/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sample_figures.h"

namespace comch::tool {
namespace {

using testing::HasSubstr;

std::vector<std::string> keys(const nlohmann::ordered_json& object) {
  std::vector<std::string> names;
  for (const auto& [name, value] : object.items()) names.push_back(name);
  return names;
}

TEST(BenchTableTest, HeadSaysWhatIsMeasured) {
  EXPECT_THAT(table_head({}), HasSubstr("Fast path, by tasks, polling, 1 producer x 1 consumer\n"));
  BenchOptions options;
  options.by = By::kArrays;
  options.waiting = Waiting::kSleep;
  options.producers = 2;
  options.consumers = 3;
  EXPECT_THAT(table_head(options), HasSubstr("by arrays, sleeping, 2 producers x 3 consumers\n"));
  options.reads = true;
  EXPECT_THAT(table_head(options), HasSubstr("by arrays and read, sleeping, 2 producers"));
  options.path = Path::kControl;
  EXPECT_THAT(table_head(options), HasSubstr("Control path, sleeping\n"));
}

TEST(BenchTableTest, HeadNamesTheApiThatIsNotComchsOwn) {
  BenchOptions options;
  options.apis = {Api::kDoca};
  EXPECT_THAT(table_head(options), HasSubstr("Fast path of the C API, by tasks, polling"));
  options.apis = {Api::kCpp, Api::kDoca};
  options.rounds = 3;
  EXPECT_THAT(table_head(options), HasSubstr("Fast path of both APIs, by tasks, polling"));
  EXPECT_THAT(table_head(options), HasSubstr("\nin 3 rounds of each in turn"));
}

TEST(BenchTableTest, RatioStandsInTheColumnsItIsOf) {
  const std::string row =
      table_row(Ratio{.size = 64, .p50 = 1.05, .p99 = 2, .p999 = 0.5, .messages_per_second = 0.97});
  EXPECT_THAT(row,
              testing::MatchesRegex(" +64 B +doca / c\\+\\+ +1.05x +2.00x +0.50x +0.97x +0.97x\n"));
  EXPECT_EQ(row.size(), table_row(sample_figures(64, "auto")).size());
}

TEST(BenchTableTest, RowHasSizeWayPercentilesAndRates) {
  const std::string row = table_row(sample_figures(4096, "staged"));
  EXPECT_THAT(row, testing::MatchesRegex(
                       " +4 KiB +staged +[0-9]+ ns +[0-9]+ ns +[0-9]+ ns +2.00 k +8.19 MB\n"));
}

TEST(BenchTableTest, RowNamesTheWayThatComchHasTaken) {
  Figures figures = sample_figures(8, "auto");
  figures.used = {{.way = "inline", .messages = 999}, {.way = "mapped", .messages = 1}};
  EXPECT_THAT(table_row(figures), HasSubstr(" auto (inline) "));
  figures.way = "mapped";
  figures.used = {{.way = "mapped", .messages = 1000}};
  EXPECT_THAT(table_row(figures), HasSubstr(" mapped  "));
}

TEST(BenchTableTest, ColumnsStandBelowTheirHeads) {
  const std::string head = table_head({});
  const std::string names = head.substr(head.find("    SIZE"));
  EXPECT_EQ(table_row(sample_figures(64, "auto", 1000)).size(), names.size());
}

TEST(BenchNoteTest, IsThereWhereNothingIsCopied) {
  EXPECT_EQ(note_of({sample_figures(8, "auto"), sample_figures(8, "cma")}), "");
  EXPECT_NE(note_of({sample_figures(8, "auto"), sample_figures(8, "loan")}), "");
  EXPECT_NE(note_of({sample_figures(8, "hand-over")}), "");
}

TEST(BenchJsonTest, HasTheQuestionAndARowForEachAnswer) {
  Figures figures = sample_figures(8, "auto");
  figures.used = {{.way = "inline", .messages = 7}};
  const auto json = bench_json({}, {figures, sample_figures(64, "auto")});
  EXPECT_EQ(keys(json), (std::vector<std::string>{"benchmark", "waiting", "api", "rounds", "by",
                                                  "read", "producers", "consumers", "results"}));
  EXPECT_EQ(json["api"], "c++");
  EXPECT_EQ(json["benchmark"], "fast");
  EXPECT_EQ(json["waiting"], "poll");
  ASSERT_EQ(json["results"].size(), 2u);
  const auto& row = json["results"][0];
  EXPECT_EQ(keys(row), (std::vector<std::string>{"size", "way", "used", "round_trip", "one_way"}));
  EXPECT_EQ(row["size"], 8);
  EXPECT_EQ(row["used"]["inline"], 7);
  EXPECT_EQ(keys(row["round_trip"]),
            (std::vector<std::string>{"count", "p50_ns", "p99_ns", "p99.9_ns"}));
  EXPECT_EQ(row["round_trip"]["count"], 1000);
  EXPECT_NEAR(row["round_trip"]["p99.9_ns"].get<double>(), 999, 999.0 / 64);
  EXPECT_EQ(
      keys(row["one_way"]),
      (std::vector<std::string>{"messages", "seconds", "messages_per_second", "bytes_per_second"}));
  EXPECT_EQ(row["one_way"]["bytes_per_second"], 16000.0);
}

TEST(BenchJsonTest, ComparisonHasARatioForEachSize) {
  BenchOptions options;
  options.apis = {Api::kCpp, Api::kDoca};
  const auto json =
      bench_json(options, {sample_figures(64, "c++"), sample_figures(64, "doca")},
                 {{.size = 64, .p50 = 1.05, .p99 = 2, .p999 = 0.5, .messages_per_second = 0.97}});
  EXPECT_EQ(json["api"], "both");
  ASSERT_EQ(json["ratios"].size(), 1u);
  const auto& ratio = json["ratios"][0];
  EXPECT_EQ(keys(ratio), (std::vector<std::string>{"size", "round_trip", "messages_per_second"}));
  EXPECT_EQ(ratio["size"], 64);
  EXPECT_EQ(ratio["round_trip"]["p50"], 1.05);
  EXPECT_EQ(ratio["round_trip"]["p99"], 2.0);
  EXPECT_EQ(ratio["round_trip"]["p99.9"], 0.5);
  EXPECT_EQ(ratio["messages_per_second"], 0.97);
}

TEST(BenchJsonTest, ControlPathHasNoWordsOfTheFastPath) {
  BenchOptions options;
  options.path = Path::kControl;
  EXPECT_EQ(keys(bench_json(options, {})),
            (std::vector<std::string>{"benchmark", "waiting", "results"}));
}

}  // namespace
}  // namespace comch::tool
