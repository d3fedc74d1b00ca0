// Run report: rows under their workload, ratios beside them, goals below.
#include "bench/peers/run_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bench/columns.h"
#include "bench/timing.h"

namespace comch::bench {
namespace {

using Json = nlohmann::ordered_json;
using Row = Run::Row;

// What the others of a workload are compared with; nothing when none was measured.
const Row* yardstick_of(const Run& run, const Workload& workload) {
  const auto row = std::ranges::find_if(run.rows(), [&](const Row& candidate) {
    return candidate.workload == workload && !run.cell_of(candidate).samples.empty();
  });
  return row == run.rows().end() ? nullptr : &*row;
}

void print_heading(const Workload& workload, const Row* yardstick) {
  const std::string to = yardstick ? "TO " + yardstick->subject : "";
  fmt::print("\n{:<24}", fmt::format("{}, {}", name_of(workload), unit_of(workload)));
  for (const Distance distance : kMeasured) fmt::print("  {:<37}", distance_heading(distance));
  fmt::print("\n{:<24}", "");
  for (std::size_t i = 0; i < kMeasured.size(); ++i)
    fmt::print("  {} {:<13}", column_heading(), to);
  fmt::print("\n");
}

void print_row(const Run& run, const Row& row, const Row* yardstick) {
  const Cell& cell = run.cell_of(row);
  if (cell.samples.empty()) {
    fmt::print("  {:<22} {}\n", row.subject, cell.skipped.empty() ? kNoPair : cell.skipped);
    return;
  }
  fmt::print("  {:<22}", row.subject);
  for (const Distance distance : kMeasured) {
    fmt::print("  {} {:<13}", in_columns(cell.samples, distance),
               ratio_in_words(run.ratio(row, *yardstick, distance)));
  }
  fmt::print("\n");
}

void print_goal(const Run& run, const FastGoal& goal) {
  fmt::print("{:<58} {:<14}", name_of(goal), in_words(goal.bound));
  for (const Distance distance : kMeasured) {
    const std::optional<double> figure = run.ratio(goal.of, goal.to, distance);
    fmt::print(" {:>18}", ratio_in_words(figure, figure && goal.bound.met_by(*figure)));
  }
  fmt::print("\n");
}

void print_goal_heading() {
  fmt::print("\n{:<58} {:<14}", "GOAL", "MUST BE");
  for (const Distance distance : kMeasured) fmt::print(" {:>18}", name_of(distance));
  fmt::print("\n");
}

Json json_of(const std::optional<Sample>& sample) {
  if (!sample) return {};
  Json json{{"figure", sample->figure}};
  if (sample->distance) json["distance"] = key_of(*sample->distance);
  return json;
}

Json json_of(const Run& run, const Row& row) {
  const Cell& cell = run.cell_of(row);
  Json json{{"name", cell.name},
            {"workload", name_of(row.workload)},
            {"subject", row.subject},
            {"unit", cell.unit}};
  const Row* yardstick = yardstick_of(run, row.workload);
  if (yardstick != nullptr) json["yardstick"] = yardstick->subject;
  for (const Distance distance : kMeasured) {
    const std::vector<double> figures = figures_at(distance, cell.samples);
    if (figures.empty()) continue;
    Json& there = json[key_of(distance)];
    there = {{"median", median(figures)}, {"spread_percent", spread_percent(figures)}};
    if (const auto ratio = run.ratio(row, *yardstick, distance)) there["ratio"] = *ratio;
  }
  if (!cell.skipped.empty()) json["skipped"] = cell.skipped;
  json["dropped"] = cell.dropped;
  json["rounds"] = Json::array();
  for (const auto& sample : row.rounds) json["rounds"].push_back(json_of(sample));
  return json;
}

Json json_of(const Run& run, const FastGoal& goal) {
  Json json{{"name", name_of(goal)}, {"of", cell_name(goal.of.workload, goal.of.subject)}};
  json["to"] = Json::array();
  for (const CellName& to : goal.to) json["to"].push_back(cell_name(to.workload, to.subject));
  for (const Distance distance : kMeasured) {
    if (const auto figure = run.ratio(goal.of, goal.to, distance)) {
      json[key_of(distance)] = {{"ratio", *figure}, {"met", goal.bound.met_by(*figure)}};
    }
  }
  json[key_of(goal.bound)] = goal.bound.value;
  return json;
}

}  // namespace

void print_names(const Run& run) {
  for (const Row& row : run.rows()) fmt::print("{}\n", run.cell_of(row).name);
}

void print_table(const Run& run, const std::vector<FastGoal>& goals) {
  const Row* before = nullptr;
  for (const Row& row : run.rows()) {
    const Row* yardstick = yardstick_of(run, row.workload);
    if (before == nullptr || before->workload != row.workload) {
      print_heading(row.workload, yardstick);
    }
    print_row(run, row, yardstick);
    before = &row;
  }
  bool headed = false;
  for (const FastGoal& goal : goals) {
    if (!run.has(goal.of)) continue;
    if (!headed) print_goal_heading();
    headed = true;
    print_goal(run, goal);
  }
}

void print_json(const Run& run, const std::vector<FastGoal>& goals) {
  Json json{{"cells", Json::array()}, {"goals", Json::array()}};
  for (const Row& row : run.rows()) json["cells"].push_back(json_of(run, row));
  for (const FastGoal& goal : goals) {
    if (run.has(goal.of)) json["goals"].push_back(json_of(run, goal));
  }
  fmt::print("{}\n", json.dump(2));
}

}  // namespace comch::bench
