// CellProgram: see cell_program.h.
#include "bench/cell_program.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <utility>

#include "bench/many_connections.h"
#include "bench/quiet_option.h"
#include "support/temp_dir.h"

namespace comch::bench {

CellProgram::CellProgram(const char* name, const std::string& purpose)
    : name_(name), app_(purpose) {
  app_.add_option("--rounds", rounds_, "Samples per cell")->check(CLI::PositiveNumber);
  app_.add_option("--cell-ms", cell_ms_, "Time per sample")->check(CLI::PositiveNumber);
  app_.add_option("--only", only_, "Cells whose name has this in it, and no counts");
  add_quiet_option(app_, quiet_);
  app_.add_flag("--json", json_, "Print JSON");
  app_.add_flag("--smoke", smoke_, "One short round on any processors; figures mean nothing");
}

int CellProgram::run(int argc, char** argv, const std::function<Plan()>& plan) {
  CLI11_PARSE(app_, argc, argv);
  if (smoke_) {
    rounds_ = 1;
    cell_ms_ = 3;
  }
  raise_descriptor_limit();
  // Refused to most users, who measure with more noise.
  ::setpriority(PRIO_PROCESS, 0, -20);
  try {
    const test::RuntimeDirectory runtime;
    return measure(plan());
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", name_, error.what());
    return 1;
  }
}

int CellProgram::measure(Plan plan) const {
  std::erase_if(plan.cells, [&](const Cell& cell) { return !cell.name.contains(only_); });
  run_rounds(plan.cells,
             {.count = rounds_, .placed = !smoke_, .quiet = std::chrono::seconds(quiet_)});
  const Facts facts = only_.empty() ? plan.facts() : Facts{};
  (json_ ? print_json : print_table)(plan.cells, plan.goals, facts);
  return smoke_ && std::ranges::any_of(plan.cells, &Cell::failed) ? 1 : 0;
}

}  // namespace comch::bench
