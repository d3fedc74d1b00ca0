// comch bench: how fast the control path is on this machine.
//
// Round trips and the one-way rate between two processes, for several message sizes,
// looking busily or (--sleep) asleep until rung.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>
#include <vector>

#include "tool/bench_measure.h"
#include "tool/commands.h"

namespace comch::tool {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::vector<std::size_t> sizes{8, 64, 1024, 4080};
  double seconds = 1;
  bool sleep = false;
  std::vector<int> cpus;
};

struct Row {
  std::size_t size;
  RoundTrips round_trips;
  OneWay one_way;
};

constexpr std::array<std::pair<const char*, double>, 3> kPercentiles{
    {{"p50_ns", 0.5}, {"p99_ns", 0.99}, {"p99.9_ns", 0.999}}};

void print_head() {
  fmt::print("{:>8} {:>12} {:>10} {:>10} {:>10} {:>14} {:>12}\n", "SIZE", "ROUND TRIPS", "P50 ns",
             "P99 ns", "P99.9 ns", "ONE WAY msg/s", "MB/s");
}

void print_row(const Row& row) {
  fmt::print("{:>8} {:>12}", row.size, row.round_trips.ns.count());
  for (const auto& [label, share] : kPercentiles) {
    fmt::print(" {:>10}", row.round_trips.ns.percentile(share));
  }
  const double rate = row.one_way.messages_per_second();
  fmt::print(" {:>14.0f} {:>12.1f}\n", rate, rate * static_cast<double>(row.size) / 1e6);
  std::ignore = std::fflush(stdout);  // Each row when it is known.
}

Json to_json(const Row& row) {
  Json round_trip{{"count", row.round_trips.ns.count()}};
  for (const auto& [label, share] : kPercentiles) {
    round_trip[label] = row.round_trips.ns.percentile(share);
  }
  return {{"size", row.size},
          {"round_trip", std::move(round_trip)},
          {"one_way",
           {{"messages", row.one_way.messages},
            {"seconds", row.one_way.seconds},
            {"messages_per_second", row.one_way.messages_per_second()}}}};
}

BenchPlan plan_for(const CommonOptions& common, const Options& options, std::size_t size) {
  BenchPlan plan{.common = common,
                 .size = size,
                 .waiting = options.sleep ? Waiting::kSleep : Waiting::kBusy,
                 .seconds = options.seconds};
  // Both ends make room for the longest message asked for.
  const std::size_t longest = std::ranges::max(options.sizes);
  if (longest > plan.common.max_message_size) {
    plan.common.max_message_size = static_cast<std::uint32_t>(longest);
  }
  if (options.cpus.size() == 2) {
    plan.own_cpu = options.cpus[0];
    plan.peer_cpu = options.cpus[1];
  }
  return plan;
}

Outcome<> bench(const CommonOptions& common, const Options& options) {
  Json rows = Json::array();
  if (!common.json) print_head();
  for (std::size_t size : options.sizes) {
    const BenchPlan plan = plan_for(common, options, size);
    auto round_trips = measure_round_trip(plan);
    if (!round_trips) return std::unexpected(round_trips.error());
    auto one_way = measure_one_way(plan);
    if (!one_way) return std::unexpected(one_way.error());
    const Row row{.size = size, .round_trips = *round_trips, .one_way = *one_way};
    common.json ? rows.push_back(to_json(row)) : print_row(row);
  }
  if (common.json) {
    const Json all{{"benchmark", "control"},
                   {"waiting", options.sleep ? "sleep" : "busy"},
                   {"results", std::move(rows)}};
    fmt::print("{}\n", all.dump(2));
  }
  return {};
}

}  // namespace

void add_bench(CLI::App& app, const CommonOptions& common, Command& chosen) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "bench", "Measure round trips and rates of the control path between two processes");
  command->add_option("--sizes", options->sizes, "Message sizes in bytes")
      ->delimiter(',')
      ->type_name("BYTES,...")
      ->check(CLI::Range(1, 65535))
      ->capture_default_str();
  command->add_option("--seconds", options->seconds, "Time for each measurement")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_flag("--sleep", options->sleep, "Sleep until rung instead of looking busily");
  command->add_option("--cpus", options->cpus, "Keep the two processes on these CPUs")
      ->delimiter(',')
      ->type_name("A,B")
      ->expected(2)
      ->check(CLI::NonNegativeNumber);
  command->callback([&common, &chosen, options] {
    chosen = [&common, options] { return bench(common, *options); };
  });
}

}  // namespace comch::tool
