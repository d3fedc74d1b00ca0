// Cell: rounds over all cells.
#include "bench/cell.h"

#include <exception>
#include <optional>

namespace comch::bench {
namespace {

// Tries per cell and round; picked: two in three are kept on the machine we know.
constexpr int kTries = 4;

void take_sample(Cell& cell, bool placed) {
  if (!placed || !cell.placed) {
    cell.samples.push_back({.figure = cell.measure(any_pair())});
    return;
  }
  for (int i = 0; i < kTries; ++i, ++cell.dropped) {
    const std::optional<Placed> found = find_pair();
    if (!found) continue;
    const double figure = cell.measure(found->pair);
    if (!is_as_before(*found)) continue;
    cell.samples.push_back({.figure = figure, .distance = found->distance});
    return;
  }
}

}  // namespace

void run_rounds(std::vector<Cell>& cells, const Rounds& rounds) {
  for (int round = 0; round < rounds.count; ++round) {
    for (Cell& cell : cells) {
      if (!cell.skipped.empty()) continue;
      try {
        take_sample(cell, rounds.placed);
      } catch (const Unavailable& lacking) {
        cell.skipped = lacking.what();
      } catch (const std::exception& error) {
        cell.skipped = error.what();
        cell.failed = true;
      }
    }
  }
}

}  // namespace comch::bench
