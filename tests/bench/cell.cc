// Cell: rounds over all cells.
#include "bench/cell.h"

#include <chrono>
#include <exception>
#include <optional>
#include <thread>

namespace comch::bench {
namespace {

// Tries per cell and round; picked: two in three are kept on the machine we know.
constexpr int kTries = 4;

// For a pair, once a round in vain: processors that share a core just now part again after a while,
// unless they are all there are.
class PairSearch {
 public:
  std::optional<Placed> find() {
    std::optional<Placed> found = find_pair();
    for (; !found && left_ != 0; found = find_pair()) {
      std::this_thread::sleep_for(kStep);
      --left_;
    }
    return found;
  }

 private:
  static constexpr auto kStep = std::chrono::milliseconds(50);
  int left_ = std::chrono::seconds(5) / kStep;
};

void take_sample(Cell& cell, bool placed, PairSearch& search) {
  if (!placed || !cell.placed) {
    cell.samples.push_back({.figure = cell.measure(any_pair())});
    return;
  }
  for (int i = 0; i < kTries; ++i, ++cell.dropped) {
    const std::optional<Placed> found = search.find();
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
    PairSearch search;
    for (Cell& cell : cells) {
      if (!cell.skipped.empty()) continue;
      try {
        take_sample(cell, rounds.placed, search);
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
