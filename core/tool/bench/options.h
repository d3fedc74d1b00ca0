// BenchOptions: what a user asked `comch bench` for.
//
//   auto options = std::make_shared<BenchOptions>();
//   add_bench_options(*command, *options);
//   command->callback([=] { check_bench_options(*command, *options); ... });
//
// Threads: plain values; they do not change once the command line is read.
// Errors: CLI::ValidationError, which main() tells as a command line that makes no sense.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tool/bench/fast_plan.h"
#include "tool/bench/turn.h"

namespace comch::tool {

enum class Path : std::uint8_t { kFast, kControl };
constexpr std::string_view name(Path path) { return path == Path::kFast ? "fast" : "control"; }

struct BenchOptions {
  static constexpr std::size_t kLargest = std::size_t{64} << 20U;
  static constexpr std::size_t kLargestControl = 65535;

  Path path = Path::kFast;
  std::vector<Api> apis{Api::kCpp};
  std::uint32_t rounds = 1;        // Parts of each measurement, of the APIs in turn.
  std::vector<std::size_t> sizes;  // Never empty once they are checked.
  std::vector<Way> ways{Way::kAuto};
  By by = By::kTasks;
  bool reads = false;  // Every line of what is received.
  Waiting waiting = Waiting::kPoll;
  std::uint32_t producers = 1;
  std::uint32_t consumers = 1;
  double seconds = 0.5;
  std::vector<int> cpus;  // Two, or none.
  std::string plot;       // A file to draw into; empty: none.

  bool compares() const { return apis.size() > 1; }
};

void add_bench_options(CLI::App& command, BenchOptions& options);

// What no single option can know: that they fit together. Fills in the sizes of the path.
void check_bench_options(const CLI::App& command, BenchOptions& options);

}  // namespace comch::tool
