// Plan: which cells there are, and what is promised of them.
#pragma once

#include <filesystem>
#include <vector>

#include "bench/cell.h"
#include "bench/fact.h"
#include "bench/report.h"
#include "bench/timing.h"

namespace comch::bench {

struct Options {
  Duration cell = std::chrono::milliseconds(60);  // How long each sample takes.
  std::size_t idle_connections = 511;
  std::uint64_t counted_round_trips = 200'000;
  std::filesystem::path comchfs;  // Programs; see README.md for where they are looked for.
  std::filesystem::path bare_fuse;
};

std::vector<Cell> control_cells(const Options& options);
std::vector<Goal> control_goals();

// The daemons live as long as the cells.
std::vector<Cell> file_cells(const Options& options);
std::vector<Goal> file_goals();

}  // namespace comch::bench
