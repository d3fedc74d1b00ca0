// CellProgram: what the benchmarks that are tables of cells have in common: their options, the
// rounds, the report, and the exit status, which is 0 whatever the figures are, and 1 when --smoke
// finds a cell that fails.
//
//   CellProgram program("comch_bench", "Measures comch beside bare shared memory");
//   program.app().add_option("--crowd", crowd, "Connections that say nothing");
//   return program.run(argc, argv, [&] { return Plan{cells, goals, [] { return counted(); }}; });
//
// Threads: one.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "bench/cell.h"
#include "bench/fact.h"
#include "bench/report.h"
#include "bench/timing.h"

namespace comch::bench {

// What there is to measure, and what is promised of it.
struct Plan {
  std::vector<Cell> cells;
  std::vector<Goal> goals;
  std::function<Facts()> facts;  // Counted behind the rounds, and not when --only names cells.
};

class CellProgram {
 public:
  CellProgram(const char* name, const std::string& purpose);

  CLI::App& app() { return app_; }
  // Once the options are read, in the plan.
  bool is_smoke() const { return smoke_; }
  Duration cell_time() const { return std::chrono::milliseconds(cell_ms_); }

  int run(int argc, char** argv, const std::function<Plan()>& plan);

 private:
  int measure(Plan plan) const;

  const char* const name_;
  CLI::App app_;
  int rounds_ = 8;
  int cell_ms_ = 60;
  std::string only_;
  int quiet_ = 0;  // Seconds.
  bool json_ = false;
  bool smoke_ = false;
};

}  // namespace comch::bench
