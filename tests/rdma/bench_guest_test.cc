// comch bench over RDMA: several measurements in one run, each with another process beside one that
// has used the device; what was sent and how, never how fast.
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "support/described_devices.h"
#include "system/tool/tool_test.h"

namespace comch::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// Without the programs that it would be compared with, unless a case is about them.
constexpr const char* kAlone = "PATH=$(dirname $(command -v comch)) ";

// A device that nobody described, which serves itself.
std::string own_device() {
  const char* const given = std::getenv("COMCH_RDMA_DEVICE");
  return std::string("--device ") + (given != nullptr ? given : "rxe0") + " ";
}

struct BenchTest : ToolTest {
  void SetUp() override {
    if (std::getenv("RDMA_VM") == nullptr && std::getenv("COMCH_RDMA_DEVICE") == nullptr) {
      GTEST_SKIP() << "there is no RDMA device outside of the guest";
    }
  }
  static std::string bench(const std::string& arguments) {
    return std::string(kAlone) + "comch bench --json --seconds 0.02 " + arguments;
  }
  static json measure(const std::string& line) {
    const Said said = sh(line);
    EXPECT_EQ(said.code, 0) << line << ": " << said;
    return said.code == 0 ? json::parse(said.out, nullptr, false) : json();
  }
  static void expect_measured(const json& all, std::size_t rows) {
    ASSERT_EQ(all["results"].size(), rows) << all;
    for (const json& row : all["results"]) {
      EXPECT_GT(row["round_trip"]["count"], 0) << row;
      EXPECT_GT(row["round_trip"]["p50_ns"], 0) << row;
      EXPECT_GT(row["one_way"]["messages"], 0) << row;
    }
  }
};

// On one device, and between the two that are described.
TEST_F(BenchTest, EverySizeIsMeasured) {
  for (const std::string& devices : {own_device(), std::string()}) {
    expect_measured(measure(bench(devices + "--sizes 8,4096,65536,1M")), 4);
  }
}

TEST_F(BenchTest, SoIsTheControlPath) {
  expect_measured(measure(bench(own_device() + "--path control --sizes 8,4080")), 2);
}

TEST_F(BenchTest, SleepingEndsInArraysAreRung) {
  expect_measured(measure(bench("--wait sleep --by arrays --sizes 8,4096")), 2);
}

TEST_F(BenchTest, ProducersAndConsumersMayBeMany) {
  for (const char* ends : {"--producers 2 --consumers 3", "--producers 3 --by arrays"}) {
    expect_measured(measure(bench(own_device() + "--sizes 8,4096 " + ends)), 2);
  }
}

TEST_F(BenchTest, BothApisAreComparedInTurn) {
  const json all = measure(bench("--api both --rounds 1 --sizes 64,4096"));
  expect_measured(all, 4);
  EXPECT_EQ(all["ratios"].size(), 2u);
}

TEST_F(BenchTest, PlotHasASeriesOfEveryWay) {
  const TempDir dir;
  const std::string svg = dir / "a.svg";
  const Said said = sh(std::string(kAlone) + "comch bench " + own_device() +
                       "--seconds 0.02 --sizes 8,4096 --way auto,loan --plot " + svg);
  EXPECT_EQ(said.code, 0) << said;
  EXPECT_THAT(said.out, HasSubstr("loan"));
  EXPECT_THAT(said.out, HasSubstr("no ratios to verbs alone"));
  EXPECT_EQ(sh("grep -c \"<g class=.series.\" " + svg).out, "8\n");
}

TEST_F(BenchTest, EveryRowIsHeldAgainstVerbsAlone) {
  const json all = measure("comch bench " + own_device() + "--json --seconds 0.02 --sizes 4096");
  expect_measured(all, 1);
  ASSERT_TRUE(all.contains("verbs")) << "a program of perftest did not get through: " << all;
  ASSERT_EQ(all["verbs"].size(), 1u) << all;
  for (const json& ratio : all["verbs"]) {
    for (const char* figure : {"to_write_latency", "to_send_latency", "to_write_bandwidth"}) {
      EXPECT_GT(ratio[figure], 0) << ratio;
    }
  }
}

}  // namespace
}  // namespace comch::test
