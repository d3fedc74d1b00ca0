// comch bench: every way of it, run for moments: what was sent and how, never how fast.
#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "support/deadline.h"
#include "support/process_counters.h"
#include "tool_test.h"

namespace comch::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

struct BenchTest : ToolTest {
  // The results of a short run.
  static json measure(const std::string& arguments) {
    const Said said = sh("comch bench --json --seconds 0.02 " + arguments);
    EXPECT_EQ(said.code, 0) << arguments << ": " << said;
    const json all = json::parse(said.out, nullptr, false);
    EXPECT_FALSE(all.is_discarded()) << said.out;
    return said.code == 0 ? all : json();
  }
  static void expect_measured(const json& row) {
    EXPECT_GT(row["round_trip"]["count"], 0) << row;
    EXPECT_GT(row["round_trip"]["p50_ns"], 0) << row;
    EXPECT_GE(row["round_trip"]["p99.9_ns"], row["round_trip"]["p50_ns"]) << row;
    EXPECT_GT(row["one_way"]["messages"], 0) << row;
    EXPECT_GT(row["one_way"]["messages_per_second"], 0) << row;
  }
  // Those of the ways that were used for any message.
  static std::vector<std::string> used(const json& row) {
    std::vector<std::string> ways;
    for (const auto& [way, messages] : row["used"].items()) {
      if (messages > 0) ways.push_back(way);
    }
    return ways;
  }
  // Messages of both measurements: warm-up too, so at least those that are reported.
  static std::uint64_t sent(const json& row) {
    std::uint64_t sum = 0;
    for (const auto& [way, messages] : row["used"].items()) sum += messages.get<std::uint64_t>();
    return sum;
  }
  // The second process of a measurement, as soon as there is one. 0: there is none in time.
  static pid_t peer_of(const Program& bench) {
    std::vector<pid_t> found;
    const Deadline deadline;
    while (found.empty() && !deadline.passed()) found = children(bench.pid());
    return found.empty() ? 0 : found.front();
  }
};

// With a size that is too long for the lane and too short for two to copy.
constexpr const char* kAll = "--sizes 16384 ";

TEST_F(BenchTest, EachWayIsTheOneThatIsUsed) {
  for (const char* by : {"tasks", "arrays"}) {
    for (const char* way : {"mapped", "staged", "loan", "hand-over"}) {
      const json all = measure(std::string(kAll) + "--by " + by + " --way " + way);
      ASSERT_EQ(all["results"].size(), 1u) << way;
      const json& row = all["results"][0];
      expect_measured(row);
      EXPECT_EQ(row["way"], way);
      EXPECT_EQ(used(row), std::vector<std::string>{way}) << by;
      EXPECT_GE(sent(row), row["one_way"]["messages"].get<std::uint64_t>() +
                               row["round_trip"]["count"].get<std::uint64_t>());
    }
  }
  EXPECT_EQ(runtime_.entries(), std::vector<std::string>{});
}

// Where the kernel lets a process write into its peer, which it may not in a container.
TEST_F(BenchTest, CmaIsUsedOrItIsSaidThatItIsNotToBeHad) {
  const Said said = sh(std::string("comch bench --json --seconds 0.02 --way cma ") + kAll);
  if (said.code == 0) {
    EXPECT_EQ(used(json::parse(said.out)["results"][0]), std::vector<std::string>{"cma"});
  } else {
    EXPECT_THAT(said.err, HasSubstr("--way auto takes a way that works here"));
  }
}

TEST_F(BenchTest, ShortMessagesGoWithTheirTidings) {
  const json all = measure("--sizes 1,8");
  ASSERT_EQ(all["results"].size(), 2u);
  for (const json& row : all["results"]) {
    expect_measured(row);
    EXPECT_EQ(used(row), std::vector<std::string>{"inline"});
  }
}

TEST_F(BenchTest, RowsAreOfEverySizeAndEveryWay) {
  const json all = measure("--sizes 8,2M --way auto,loan");
  ASSERT_EQ(all["results"].size(), 4u);
  std::vector<std::pair<int, std::string>> rows;
  for (const json& row : all["results"]) rows.emplace_back(row["size"], row["way"]);
  EXPECT_THAT(rows, testing::ElementsAre(std::pair(8, "auto"), std::pair(8, "loan"),
                                         std::pair(2 << 20, "auto"), std::pair(2 << 20, "loan")));
}

TEST_F(BenchTest, LargestMessagesGo) { expect_measured(measure("--sizes 64M")["results"][0]); }

TEST_F(BenchTest, SleepingEndsAreRung) {
  for (const char* by : {"tasks", "arrays"}) {
    for (const char* way : {"auto", "hand-over"}) {
      const json all =
          measure(std::string("--wait sleep --sizes 8,16384 --by ") + by + " --way " + way);
      EXPECT_EQ(all["waiting"], "sleep");
      for (const json& row : all["results"]) expect_measured(row);
    }
  }
}

TEST_F(BenchTest, CApiIsMeasuredPollingAndAsleepWithOneEndOrMany) {
  for (const char* how : {"", "--wait sleep", "--producers 2 --consumers 2"}) {
    const json all = measure(std::string("--api doca --sizes 64,16384 ") + how);
    EXPECT_EQ(all["api"], "doca");
    ASSERT_EQ(all["results"].size(), 2u);
    for (const json& row : all["results"]) {
      expect_measured(row);
      EXPECT_EQ(row["way"], "doca");
    }
  }
  EXPECT_EQ(runtime_.entries(), std::vector<std::string>{});
}

TEST_F(BenchTest, BothApisAreMeasuredInTurnAndCompared) {
  const json all = measure("--api both --rounds 3 --sizes 64,16384");
  EXPECT_EQ(all["api"], "both");
  std::vector<std::pair<int, std::string>> rows;
  for (const json& row : all["results"]) {
    expect_measured(row);
    rows.emplace_back(row["size"], row["way"]);
  }
  EXPECT_THAT(rows, testing::ElementsAre(std::pair(64, "c++"), std::pair(64, "doca"),
                                         std::pair(16384, "c++"), std::pair(16384, "doca")));
  ASSERT_EQ(all["ratios"].size(), 2u);
  for (const json& ratio : all["ratios"]) {
    EXPECT_GT(ratio["round_trip"]["p50"], 0) << ratio;
    EXPECT_GT(ratio["messages_per_second"], 0) << ratio;
  }
}

TEST_F(BenchTest, ComparisonIsARowOfRatios) {
  const Said said = sh("comch bench --api both --rounds 1 --seconds 0.02 --sizes 64");
  EXPECT_EQ(said.code, 0) << said;
  EXPECT_THAT(said.out, HasSubstr("\n    64 B  c++ (inline)"));
  EXPECT_THAT(said.out, HasSubstr("\n    64 B  doca  "));
  EXPECT_THAT(said.out, testing::ContainsRegex("\n    64 B  doca / c\\+\\+ +[0-9.]+x +[0-9.]+x"));
}

TEST_F(BenchTest, RoundsOfOneApiAreOneRow) {
  const json all = measure("--sizes 64 --rounds 2");
  ASSERT_EQ(all["results"].size(), 1u);
  expect_measured(all["results"][0]);
  EXPECT_FALSE(all.contains("ratios"));
}

TEST_F(BenchTest, ProducersAndConsumersMayBeMany) {
  for (const char* ends : {"--producers 3", "--consumers 3", "--producers 2 --consumers 2"}) {
    for (const char* how : {"--by tasks", "--by arrays --wait sleep", "--way hand-over"}) {
      const json all = measure(std::string("--sizes 64 ") + ends + " " + how);
      ASSERT_EQ(all["results"].size(), 1u);
      expect_measured(all["results"][0]);
    }
  }
}

TEST_F(BenchTest, WhatIsReceivedMayBeRead) {
  for (const char* how : {"--by tasks", "--by arrays", "--way hand-over", "--api both"}) {
    const json all = measure(std::string("--read --sizes 64,1M ") + how);
    EXPECT_EQ(all["read"], true);
    for (const json& row : all["results"]) expect_measured(row);
  }
}

TEST_F(BenchTest, ControlPathIsMeasuredPollingAndAsleep) {
  for (const char* how : {"", "--sleep"}) {
    const json all = measure(std::string("--path control --sizes 8,65535 ") + how);
    EXPECT_EQ(all["benchmark"], "control");
    ASSERT_EQ(all["results"].size(), 2u);
    for (const json& row : all["results"]) {
      expect_measured(row);
      EXPECT_EQ(row["way"], "control");
    }
  }
  EXPECT_EQ(runtime_.entries(), std::vector<std::string>{});
}

TEST_F(BenchTest, ProcessorsMayBeChosen) {
  EXPECT_EQ(sh("first=$(taskset -cp $$ | grep -o \"[0-9]*$\"); "
               "comch bench --json --seconds 0.02 --sizes 8 --cpus $first,$first >/dev/null")
                .code,
            0);
}

TEST_F(BenchTest, TableHasALineForEachRow) {
  const Said said = sh("comch bench --seconds 0.02 --sizes 8,4K --way auto,hand-over");
  EXPECT_EQ(said.code, 0) << said;
  EXPECT_THAT(said.out, HasSubstr("P99.9"));
  EXPECT_THAT(said.out, HasSubstr("\n     8 B  auto (inline)"));
  EXPECT_THAT(said.out, HasSubstr("\n   4 KiB  hand-over"));
  EXPECT_THAT(said.out, HasSubstr("copy nothing"));
}

TEST_F(BenchTest, PlotIsADocumentThatOthersCanRead) {
  const TempDir dir;
  const std::string svg = dir / "a.svg";
  EXPECT_EQ(sh("comch bench --seconds 0.02 --sizes 8,4K --way auto,loan --plot " + svg).code, 0);
  const Said said =
      sh("python3 -c \"import sys, xml.etree.ElementTree as x; "
         "print(len([g for g in x.parse(sys.argv[1]).iter() if g.get(\\\"class\\\") == "
         "\\\"series\\\"]))\" " +
         svg);
  EXPECT_EQ(said, (Said{.code = 0, .out = "8\n"}));
}

TEST_F(BenchTest, PlotThatCannotBeWrittenIsAFailureBeforeAnythingIsMeasured) {
  const Said said = sh("comch bench --plot /nowhere/a.svg");
  EXPECT_EQ(
      said,
      (Said{.code = 1, .err = "comch: cannot write /nowhere/a.svg (No such file or directory)\n"}));
}

TEST_F(BenchTest, MistakesAreExitCodeTwoAndOneLine) {
  for (const char* line : {"--sizes 0", "--way fly", "--wait long", "--by hand", "--producers 0",
                           "--cpus 1", "--plot a.gif", "--path control --way cma",
                           "--api doca --way cma", "--api both --by arrays", "--rounds 0"}) {
    const Said said = sh(std::string("comch bench ") + line);
    EXPECT_EQ(said.code, 2) << line;
    EXPECT_THAT(said.err, testing::MatchesRegex("comch: [^\n]+; try `comch bench --help`\n"))
        << line;
  }
}

// Neither process outlives the other: the peer dies with who made it.
TEST_F(BenchTest, KilledBenchmarkLeavesNoServerRunning) {
  Program bench("comch bench --seconds 100 --sizes 8");
  ASSERT_TRUE(bench.has_said("Fast path"));
  bench.signal(SIGKILL);
  EXPECT_EQ(bench.end().code, 128 + SIGKILL);
  EXPECT_TRUE(eventually([&] { return runtime_.entries().empty(); }));
}

TEST_F(BenchTest, InterruptLeavesNoNameOfAServer) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    Program bench("comch bench --seconds 100 --sizes 8");
    ASSERT_TRUE(bench.has_said("Fast path"));
    const pid_t peer = peer_of(bench);
    ASSERT_NE(peer, 0);
    // As a terminal does it, to both processes.
    bench.signal(signal);
    ASSERT_EQ(::kill(peer, signal), 0);
    EXPECT_EQ(bench.end().code, 128 + signal);
    EXPECT_TRUE(eventually([&] { return runtime_.entries().empty(); })) << signal;
  }
}

// At moments that lie a quarter of a millisecond apart: before the server has its name, while it is
// given it, and when the one process tells the other, which may have ended.
TEST_F(BenchTest, InterruptWhileTheServerStartsLeavesNoNameOfIt) {
  using Clock = std::chrono::steady_clock;
  for (int n = 0; n < 60; ++n) {
    Program bench("comch bench --seconds 100 --sizes 8");
    const pid_t peer = peer_of(bench);
    ASSERT_NE(peer, 0);
    const auto moment = Clock::now() + n % 30 * std::chrono::microseconds(250);
    while (Clock::now() < moment) continue;
    bench.signal(SIGINT);
    ::kill(peer, SIGINT);
    ASSERT_EQ(bench.end().code, 128 + SIGINT);
    ASSERT_TRUE(eventually([&] { return runtime_.entries().empty(); })) << n;
  }
}

TEST_F(BenchTest, KilledPeerIsAFailureThatSaysSo) {
  for (const char* how : {"", "--path control", "--api doca"}) {
    Program bench(std::string("comch bench --seconds 100 --sizes 8 ") + how);
    ASSERT_TRUE(bench.has_said(" path"));
    const pid_t peer = peer_of(bench);
    ASSERT_NE(peer, 0);
    ASSERT_EQ(::kill(peer, SIGKILL), 0);
    const Said said = bench.end();
    EXPECT_EQ(said.code, 1) << how;
    EXPECT_THAT(said.err, HasSubstr("comch: ")) << how;
  }
}

}  // namespace
}  // namespace comch::test
