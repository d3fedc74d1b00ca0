// Cell: rounds over all cells.
#include "bench/cell.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <thread>
#include <vector>

#include "bench/quiet.h"

namespace comch::bench {
namespace {

// Tries per cell and round; picked: two in three are kept on the machine we know, and of quiet ones
// one in four.
constexpr int kTries = 4;
constexpr int kQuietTries = 16;

// For a pair, once a round in vain: processors that share a core just now part again after a while,
// unless they are all there are, and neighbours come and go.
class PairSearch {
 public:
  explicit PairSearch(const Rounds& rounds)
      : quiet_(rounds.quiet != std::chrono::seconds(0)), left_(quiet_ ? rounds.quiet : kPatience) {}

  std::optional<Placed> find() {
    const Clock::time_point began = Clock::now();
    std::optional<Placed> found = look();
    for (; !found && Clock::now() - began < left_; found = look()) {
      std::this_thread::sleep_for(quiet_ ? kQuietStep : kStep);
    }
    left_ -= std::min(left_, Clock::now() - began);
    return found;
  }
  // Whether what was measured on it counts.
  bool keeps(const Placed& placed) {
    const Placed behind = placed_now(placed.pair);
    if (behind.distance != placed.distance) return false;
    if (!quiet_) return true;
    if (!are_alike(placed, behind) || !is_quiet(placed.pair)) return false;
    if (!first_of(placed)) first_.push_back(placed);
    return true;
  }
  int tries() const { return quiet_ ? kQuietTries : kTries; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kStep{50};
  static constexpr std::chrono::seconds kPatience{5};
  // Neighbours pause for milliseconds. A look takes half of one.
  static constexpr std::chrono::milliseconds kQuietStep{5};

  std::optional<Placed> look() const {
    const std::optional<Placed> found = find_pair();
    if (!found || !quiet_) return found;
    const std::optional<Placed> first = first_of(*found);
    const bool good = (!first || are_alike(*first, *found)) && is_quiet(found->pair);
    return good ? found : std::nullopt;
  }
  std::optional<Placed> first_of(const Placed& placed) const {
    const auto first = std::ranges::find(first_, placed.distance, &Placed::distance);
    return first == first_.end() ? std::nullopt : std::optional(*first);
  }

  const bool quiet_;
  Clock::duration left_;
  std::vector<Placed> first_;  // That was kept, of each distance.
};

void take_sample(Cell& cell, int round, bool placed, PairSearch& search) {
  if (!placed || !cell.placed) {
    cell.samples.push_back({.figure = cell.measure(any_pair()), .round = round});
    return;
  }
  for (int i = 0; i < search.tries(); ++i, ++cell.dropped) {
    const std::optional<Placed> found = search.find();
    if (!found) continue;
    const double figure = cell.measure(found->pair);
    if (!search.keeps(*found)) continue;
    cell.samples.push_back({.figure = figure, .round = round, .distance = found->distance});
    return;
  }
}

}  // namespace

void run_rounds(std::vector<Cell>& cells, const Rounds& rounds) {
  for (int round = 0; round < rounds.count; ++round) {
    PairSearch search(rounds);
    for (Cell& cell : cells) {
      if (!cell.skipped.empty()) continue;
      try {
        take_sample(cell, round, rounds.placed, search);
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
