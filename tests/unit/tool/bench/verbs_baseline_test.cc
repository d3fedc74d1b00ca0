// VerbsBaseline: what the programs of perftest print, and what becomes of it.
#include "tool/bench/verbs_baseline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace comch::tool
