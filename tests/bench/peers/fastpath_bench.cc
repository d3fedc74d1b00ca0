// fastpath_bench: the fast path, its limits and its peers, in one run; README.md says how to
// read it. The exit status is 0 whatever the figures are, and 1 when a cell fails.
#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "bench/fast/fast_subjects.h"
#include "bench/limits/limits.h"
#include "bench/peers/peers.h"
#include "bench/peers/run.h"
#include "bench/peers/run_report.h"
#include "bench/quiet_option.h"

namespace {

using namespace comch::bench;

struct Arguments {
  int rounds = 8;
  int cell_ms = 60;
  std::vector<std::string> only;
  bool quick = false;
  int quiet = 0;  // Seconds.
  bool gib = false;
  bool list = false;
  bool json = false;
};

std::vector<Subject> subjects_for(const Arguments& arguments) {
  // Limits come first: the first subject of a workload is what the others are compared with.
  const std::size_t largest = arguments.gib ? kGib : 16 * kMib;
  std::vector<Subject> subjects = limits(largest);
  std::ranges::move(fast_subjects(largest), std::back_inserter(subjects));
  const auto here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  std::ranges::move(peers(here), std::back_inserter(subjects));
  return subjects;
}

bool is_wanted(const Entry& entry, const std::vector<std::string>& only) {
  return only.empty() || std::ranges::any_of(only, [&](const std::string& name) {
           return entry.subject == name || name_of(entry.workload) == name ||
                  entry.cell.name == name;
         });
}

int run(const Arguments& arguments) {
  std::vector<Entry> entries =
      entries_of(subjects_for(arguments), std::chrono::milliseconds(arguments.cell_ms));
  std::erase_if(entries, [&](const Entry& entry) { return !is_wanted(entry, arguments.only); });
  if (entries.empty()) throw std::runtime_error("no cell has such a name; --list names them");
  Run run(std::move(entries));
  if (arguments.list) {
    print_names(run);
    return 0;
  }
  run.measure({.count = arguments.rounds,
               .placed = !arguments.quick,
               .quiet = std::chrono::seconds(arguments.quiet)});
  (arguments.json ? print_json : print_table)(run, fast_goals());
  return run.failed() ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("Measures the fast path beside bare shared memory and other people's libraries");
  app.add_option("--rounds", arguments.rounds, "Samples per cell")->check(CLI::PositiveNumber);
  app.add_option("--cell-ms", arguments.cell_ms, "Time per sample")->check(CLI::PositiveNumber);
  app.add_option("--only", arguments.only, "Subjects, workloads (\"one way 64 B\") or cells")
      ->delimiter(',');
  app.add_flag("--quick", arguments.quick, "Short samples on any processors; figures mean nothing");
  add_quiet_option(app, arguments.quiet);
  app.add_flag("--gib", arguments.gib, "Messages of 1 GiB too, which takes 4 GiB of memory");
  app.add_flag("--list", arguments.list, "Print the names of the cells, and measure nothing");
  app.add_flag("--json", arguments.json, "Print JSON, every sample in its round");
  CLI11_PARSE(app, argc, argv);
  if (arguments.quick) arguments.cell_ms = 4;
  // Refused to most users, who measure with more noise.
  ::setpriority(PRIO_PROCESS, 0, -20);
  try {
    return run(arguments);
  } catch (const std::exception& error) {
    fmt::print(stderr, "fastpath_bench: {}\n", error.what());
    return 1;
  }
}
