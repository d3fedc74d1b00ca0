// uring_bench: loops that wait in a ring of comch-uring; README.md says how to read it. What
// messages cost that nobody waits for, fastpath_bench measures. The exit status is 0 whatever
// the figures are, and 1 when --smoke finds a cell that fails.
#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <iterator>

#include "bench/many_connections.h"
#include "bench/report.h"
#include "bench/ring/mixed.h"
#include "bench/ring/ring_calls.h"
#include "bench/ring/wake.h"
#include "support/temp_dir.h"

namespace {

using namespace comch::bench;

struct Arguments {
  int rounds = 8;
  int cell_ms = 60;
  std::size_t crowd = 999;  // Connections that say nothing.
  std::uint64_t counted_round_trips = 200'000;
  bool json = false;
  bool smoke = false;
};

// Far longer than a ring spins before it sleeps, so that every message finds a sleeper.
constexpr Duration kIdle = std::chrono::microseconds(500);

constexpr const char* kBareWake = "wake: eventfd, through io_uring";
constexpr const char* kRingWake = "wake: one connection of a ring";
constexpr const char* kTcpAlone = "round trip 64 B: TCP alone";
constexpr const char* kTcpBeside = "round trip 64 B: TCP beside a channel";
constexpr const char* kChannelAlone = "round trip 64 B: channel alone";
constexpr const char* kChannelBeside = "round trip 64 B: channel beside TCP";

std::vector<Cell> cells_for(const Arguments& arguments) {
  const Duration time = std::chrono::milliseconds(arguments.cell_ms);
  const auto cell = [](const char* name, auto measure) {
    return Cell{.name = name, .unit = "ns", .near = true, .measure = measure};
  };
  return {
      cell(kBareWake, [=](const Pair& pair) { return bare_wake_ns(pair, kIdle, time); }),
      cell(kRingWake, [=, crowd = arguments.crowd](
                          const Pair& pair) { return ring_wake_ns(pair, kIdle, time, crowd); }),
      cell(kTcpAlone, [=](const Pair& pair) { return tcp_round_trip_ns(pair, time, false); }),
      cell(kTcpBeside, [=](const Pair& pair) { return tcp_round_trip_ns(pair, time, true); }),
      cell(kChannelAlone,
           [=](const Pair& pair) { return channel_round_trip_ns(pair, time, false); }),
      cell(kChannelBeside,
           [=](const Pair& pair) { return channel_round_trip_ns(pair, time, true); }),
  };
}

std::vector<Goal> goals() {
  using enum Goal::Kind;
  return {{"wake, one of many connections to eventfd", kRingWake, kBareWake, kAtMost, 1.1},
          {"TCP beside a channel to alone", kTcpBeside, kTcpAlone, kAtMost, 1.2},
          {"channel beside TCP to alone", kChannelBeside, kChannelAlone, kAtMost, 1.2}};
}

int run(const Arguments& arguments) {
  const comch::test::RuntimeDirectory runtime;
  std::vector<Cell> cells = cells_for(arguments);
  run_rounds(cells, {.count = arguments.rounds, .placed = !arguments.smoke});
  Facts facts = ring_calls(arguments.counted_round_trips);
  std::ranges::move(idle_ring(arguments.crowd + 1), std::back_inserter(facts));
  (arguments.json ? print_json : print_table)(cells, goals(), facts);
  return arguments.smoke && std::ranges::any_of(cells, &Cell::failed) ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("Measures loops that wait in a ring of comch-uring");
  app.add_option("--rounds", arguments.rounds, "Samples per cell")->check(CLI::PositiveNumber);
  app.add_option("--cell-ms", arguments.cell_ms, "Time per sample")->check(CLI::PositiveNumber);
  app.add_option("--crowd", arguments.crowd, "Connections that say nothing");
  app.add_flag("--json", arguments.json, "Print JSON");
  app.add_flag("--smoke", arguments.smoke,
               "One short round on any processors; figures mean nothing");
  CLI11_PARSE(app, argc, argv);
  if (arguments.smoke) {
    arguments.rounds = 1;
    arguments.cell_ms = 3;
    arguments.crowd = 7;
    arguments.counted_round_trips = 1000;
  }
  raise_descriptor_limit();
  // Refused to most users, who measure with more noise.
  ::setpriority(PRIO_PROCESS, 0, -20);
  try {
    return run(arguments);
  } catch (const std::exception& error) {
    fmt::print(stderr, "uring_bench: {}\n", error.what());
    return 1;
  }
}
