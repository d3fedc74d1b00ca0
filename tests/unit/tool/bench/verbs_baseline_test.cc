// VerbsBaseline: what the programs of perftest print, and what becomes of it.
#include "tool/bench/verbs_baseline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "support/temp_dir.h"

namespace comch::tool {
namespace {

constexpr const char* kLatency = R"(
 Dual-port       : OFF          Device         : rxe0
 GID             : 00:00:00:00:00:00:00:00:00:00:255:255:10:77:00:01
---------------------------------------------------------------------------------------
 #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec]
 64      1000          12.40          93.95        14.20              14.71            3.10           21.00                   93.95
---------------------------------------------------------------------------------------
)";
constexpr const char* kBandwidth =
    " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n"
    " 65536      1000             84.00              82.50              0.001320\n";

TEST(VerbsBaselineTest, ReadsTheColumnOfTheRowOfItsSize) {
  EXPECT_EQ(perftest_column(kLatency, 64, 4), 14.20);
  EXPECT_EQ(perftest_column(kBandwidth, 65536, 3), 82.50);
}

TEST(VerbsBaselineTest, WhatIsNotThereIsNothing) {
  EXPECT_EQ(perftest_column(kLatency, 65, 4), std::nullopt);
  EXPECT_EQ(perftest_column(kLatency, 64, 9), std::nullopt);
  EXPECT_EQ(perftest_column("Couldn't connect to 10.77.0.1\n", 64, 4), std::nullopt);
  EXPECT_EQ(perftest_column("", 64, 4), std::nullopt);
}

TEST(VerbsBaselineTest, RatiosAreOfHalfARoundTripAndOfBytes) {
  Figures figures;
  figures.size = 1024;
  for (int n = 0; n < 100; ++n) figures.round_trips.ns.record(4000);
  figures.one_way = {.messages = 2000, .seconds = 1};
  const VerbsRatio ratio = ratio_to(
      {.write_half_us = 2, .send_half_us = 4, .write_bytes_per_second = 1024.0 * 4000}, figures);
  EXPECT_NEAR(ratio.to_write_latency, 1.0, 0.05);
  EXPECT_NEAR(ratio.to_send_latency, 0.5, 0.05);
  EXPECT_DOUBLE_EQ(ratio.to_write_bandwidth, 0.5);
  EXPECT_THAT(table_row(ratio), testing::HasSubstr("0.50 x ib_write_bw"));
}

// Programs that stand in for those of perftest: the first servers of ib_write_lat, so many, hear no
// client.
struct StandInsTest : testing::Test {
  explicit StandInsTest() { figures.size = 4096; }
  ~StandInsTest() override { ::setenv("PATH", path.c_str(), 1); }

  void provide(int deaf_servers) {
    for (const char* name : {"ib_write_lat", "ib_send_lat", "ib_write_bw"}) {
      const std::filesystem::path program = dir / name;
      std::ofstream(program) << "#!/bin/sh\ndeaf=" << deaf_servers << kProgram;
      std::filesystem::permissions(program, std::filesystem::perms::owner_all);
      deaf_servers = 0;
    }
    ::setenv("PATH", (dir.path().string() + ":" + path).c_str(), 1);
  }

  // A server has no address behind its six words.
  static constexpr const char* kProgram = R"(
up=$0.servers
[ $# -gt 6 ] || echo one >> $up
[ -e $up ] && [ $(wc -l < $up) -gt $deaf ] && can_hear=yes
if [ $# -gt 6 ]; then
  [ $can_hear ] && echo 4096 100 1.5 2.5 3.5
else
  [ $can_hear ] || exec sleep 60
fi
)";
  const std::string path = std::getenv("PATH");
  test::TempDir dir;
  Figures figures;
};

TEST_F(StandInsTest, EachOfThemSaysItsColumn) {
  provide(0);
  const auto verbs = VerbsBaseline("127.0.0.1").measure(figures);
  ASSERT_TRUE(verbs);
  EXPECT_EQ(verbs->write_half_us, 3.5);
  EXPECT_EQ(verbs->send_half_us, 3.5);
  EXPECT_EQ(verbs->write_bytes_per_second, 2.5 * 1024 * 1024);
}

TEST_F(StandInsTest, AProgramWhoseServerHearsNobodyHasAnother) {
  provide(1);
  EXPECT_TRUE(VerbsBaseline("127.0.0.1").measure(figures));
}

}  // namespace
}  // namespace comch::tool
