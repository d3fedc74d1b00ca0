// Run: rounds over entries, every sample kept with its round, and what can be said of them.
//
//   Run run(entries_of(subjects, time));
//   run.measure({.count = 8});
//   std::optional<double> ratio = run.ratio(goal.of, goal.to, Distance::kNear);
//
// Threads: measuring forks; one thread. Errors: none; a cell that throws says so in its row.
#pragma once

#include <optional>
#include <vector>

#include "bench/cell.h"
#include "bench/peers/goal.h"
#include "bench/peers/subject.h"

namespace comch::bench {

class Run {
 public:
  struct Row {
    std::string subject;
    Workload workload;
    std::vector<std::optional<Sample>> rounds;  // Nothing where none was kept.
  };

  explicit Run(std::vector<Entry> entries);

  void measure(const Rounds& rounds);

  const std::vector<Row>& rows() const { return rows_; }
  const Cell& cell_of(const Row& row) const;
  bool has(const CellName& name) const { return find(name) != nullptr; }
  bool failed() const;

  // The median over the rounds that have both at that distance; of cell `of` itself when `to` is
  // empty.
  std::optional<double> ratio(const CellName& of, const std::vector<CellName>& to,
                              Distance distance) const;
  std::optional<double> ratio(const Row& of, const Row& to, Distance distance) const;

 private:
  const Row* find(const CellName& name) const;
  std::optional<double> best_in(std::size_t round, const std::vector<CellName>& cells,
                                Distance distance) const;

  std::vector<Row> rows_;
  std::vector<Cell> cells_;  // One for each row.
};

}  // namespace comch::bench
