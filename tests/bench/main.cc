// comch_bench: what comch costs, beside what it could cost at best; README.md says how to read
// it. The exit status is 0 whatever the figures are, and 1 when --smoke finds a cell that
// fails.
#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <iterator>

#include "bench/many_connections.h"
#include "bench/plan.h"
#include "bench/steady_state.h"
#include "support/temp_dir.h"

namespace {

using namespace comch::bench;

struct Arguments {
  int rounds = 8;
  int cell_ms = 60;
  std::string only;
  bool json = false;
  bool smoke = false;
};

// Where the build puts the programs, seen from this one.
Options options_for(const Arguments& arguments) {
  const auto here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  Options options{.cell = std::chrono::milliseconds(arguments.cell_ms),
                  .comchfs = here / "../../fuse/comchfs",
                  .bare_fuse = here / "bare_fuse"};
  if (arguments.smoke) {
    options.idle_connections = 7;
    options.counted_round_trips = 1000;
  }
  return options;
}

std::vector<Cell> cells_for(const Options& options, const std::string& only) {
  std::vector<Cell> cells = control_cells(options);
  std::ranges::move(file_cells(options), std::back_inserter(cells));
  std::erase_if(cells, [&](const Cell& cell) { return cell.name.find(only) == cell.name.npos; });
  return cells;
}

Facts facts_for(const Options& options) {
  Facts facts = steady_state(options.counted_round_trips);
  std::ranges::move(memory_of_connections(options.idle_connections), std::back_inserter(facts));
  return facts;
}

int run(const Arguments& arguments) {
  const comch::test::RuntimeDirectory runtime;
  const Options options = options_for(arguments);
  std::vector<Cell> cells = cells_for(options, arguments.only);
  run_rounds(cells, {.count = arguments.rounds, .placed = !arguments.smoke});
  std::vector<Goal> goals = control_goals();
  std::ranges::move(file_goals(), std::back_inserter(goals));
  const Facts facts = arguments.only.empty() ? facts_for(options) : Facts{};
  (arguments.json ? print_json : print_table)(cells, goals, facts);
  return arguments.smoke && std::ranges::any_of(cells, &Cell::failed) ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("Measures comch beside bare shared memory, sockets and libfuse");
  app.add_option("--rounds", arguments.rounds, "Samples per cell")->check(CLI::PositiveNumber);
  app.add_option("--cell-ms", arguments.cell_ms, "Time per sample")->check(CLI::PositiveNumber);
  app.add_option("--only", arguments.only, "Cells whose name has this in it, and no counts");
  app.add_flag("--json", arguments.json, "Print JSON");
  app.add_flag("--smoke", arguments.smoke,
               "One short round on any processors; figures mean nothing");
  CLI11_PARSE(app, argc, argv);
  if (arguments.smoke) {
    arguments.rounds = 1;
    arguments.cell_ms = 3;
  }
  raise_descriptor_limit();
  // Refused to most users, who measure with more noise.
  ::setpriority(PRIO_PROCESS, 0, -20);
  try {
    return run(arguments);
  } catch (const std::exception& error) {
    fmt::print(stderr, "comch_bench: {}\n", error.what());
    return 1;
  }
}
