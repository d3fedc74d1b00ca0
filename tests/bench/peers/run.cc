// Run: the samples of each round beside one another.
#include "bench/peers/run.h"

#include <algorithm>
#include <utility>

#include "bench/timing.h"

namespace comch::bench {
namespace {

std::optional<double> figure_at(Distance distance, const std::optional<Sample>& sample) {
  return sample && sample->is_of(distance) ? std::optional(sample->figure) : std::nullopt;
}

}  // namespace

Run::Run(std::vector<Entry> entries) {
  for (Entry& entry : entries) {
    rows_.push_back({.subject = entry.subject, .workload = entry.workload, .rounds = {}});
    cells_.push_back(std::move(entry.cell));
  }
}

void Run::measure(const Rounds& rounds) {
  run_rounds(cells_, rounds);
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    rows_[i].rounds.assign(static_cast<std::size_t>(rounds.count), std::nullopt);
    for (const Sample& sample : cells_[i].samples) {
      rows_[i].rounds[static_cast<std::size_t>(sample.round)] = sample;
    }
  }
}

const Cell& Run::cell_of(const Row& row) const {
  return cells_[static_cast<std::size_t>(&row - rows_.data())];
}

bool Run::failed() const { return std::ranges::any_of(cells_, &Cell::failed); }

const Run::Row* Run::find(const CellName& name) const {
  const auto row = std::ranges::find_if(rows_, [&](const Row& candidate) {
    return candidate.subject == name.subject && candidate.workload == name.workload;
  });
  return row == rows_.end() ? nullptr : &*row;
}

std::optional<double> Run::best_in(std::size_t round, const std::vector<CellName>& cells,
                                   Distance distance) const {
  std::optional<double> best;
  for (const CellName& name : cells) {
    const Row* row = find(name);
    if (row == nullptr) continue;
    const std::optional<double> figure = figure_at(distance, row->rounds[round]);
    if (!figure) continue;
    if (!best) best = figure;
    best = less_is_better(name.workload) ? std::min(*best, *figure) : std::max(*best, *figure);
  }
  return best;
}

std::optional<double> Run::ratio(const CellName& of, const std::vector<CellName>& to,
                                 Distance distance) const {
  const Row* row = find(of);
  if (row == nullptr) return std::nullopt;
  std::vector<double> ratios;
  for (std::size_t round = 0; round < row->rounds.size(); ++round) {
    const std::optional<double> figure = figure_at(distance, row->rounds[round]);
    const std::optional<double> divisor = to.empty() ? 1.0 : best_in(round, to, distance);
    if (figure && divisor) ratios.push_back(*figure / *divisor);
  }
  return ratios.empty() ? std::nullopt : std::optional(median(std::move(ratios)));
}

std::optional<double> Run::ratio(const Row& of, const Row& to, Distance distance) const {
  return ratio({of.workload, of.subject}, {{to.workload, to.subject}}, distance);
}

}  // namespace comch::bench
