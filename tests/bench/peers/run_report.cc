// Run report: rows under their workload, ratios beside them, goals below.
#include "bench/peers/run_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "bench/timing.h"

namespace comch::bench {
namespace {

using Json = nlohmann::ordered_json;
using Row = Run::Row;

// The distance between the quartiles, in per cent of the median.
double spread(std::vector<double> samples) {
  if (samples.size() < 2) return 0;
  std::ranges::sort(samples);
  const double quartiles = samples[samples.size() * 3 / 4] - samples[samples.size() / 4];
  return 100 * quartiles / median(samples);
}

// What the others of a workload are compared with; nothing when none was measured.
const Row* yardstick_of(const Run& run, const Workload& workload) {
  const auto row = std::ranges::find_if(run.rows(), [&](const Row& candidate) {
    return candidate.workload == workload && !run.cell_of(candidate).samples.empty();
  });
  return row == run.rows().end() ? nullptr : &*row;
}

std::string in_words(std::optional<double> ratio) {
  return ratio ? fmt::format("{:.2f}", *ratio) : "-";
}

void print_heading(const Workload& workload, const Row* yardstick) {
  fmt::print("\n{:<20} {:>10} {:<8} {:>7} {:>5} {:>8}   {}\n", name_of(workload), "MEDIAN", "UNIT",
             "SPREAD", "KEPT", "DROPPED", yardstick ? "TO " + yardstick->subject : "");
}

void print_row(const Run& run, const Row& row, const Row* yardstick) {
  const Cell& cell = run.cell_of(row);
  if (cell.samples.empty()) {
    fmt::print("  {:<18} {}\n", row.subject,
               cell.skipped.empty() ? "no near pair was found" : cell.skipped);
    return;
  }
  fmt::print("  {:<18} {:>10.4g} {:<8} {:>6.0f}% {:>5} {:>8}   {}\n", row.subject,
             median(cell.samples), cell.unit, spread(cell.samples), cell.samples.size(),
             cell.dropped, in_words(run.ratio(row, *yardstick)));
}

std::string_view in_words(FastGoal::Kind kind) {
  return kind == FastGoal::Kind::kAtMost ? "at most" : "at least";
}

void print_goal(const Run& run, const FastGoal& goal) {
  const std::optional<double> figure = run.ratio(goal.of, goal.to);
  fmt::print("{:<58} {:>8} {:<14} {}\n", name_of(goal), in_words(figure),
             fmt::format("{} {:g}", in_words(goal.kind), goal.bound),
             !figure                ? ""
             : goal.met_by(*figure) ? "met"
                                    : "MISSED");
}

Json json_of(const Run& run, const Row& row) {
  const Cell& cell = run.cell_of(row);
  Json json{{"name", cell.name},
            {"workload", name_of(row.workload)},
            {"subject", row.subject},
            {"unit", cell.unit}};
  if (const Row* yardstick = yardstick_of(run, row.workload); !cell.samples.empty()) {
    json["median"] = median(cell.samples);
    json["spread_percent"] = spread(cell.samples);
    json["yardstick"] = yardstick->subject;
    if (const auto ratio = run.ratio(row, *yardstick)) json["ratio"] = *ratio;
  }
  if (!cell.skipped.empty()) json["skipped"] = cell.skipped;
  json["dropped"] = cell.dropped;
  json["rounds"] = Json::array();
  for (const auto& sample : row.rounds) json["rounds"].push_back(sample ? Json(*sample) : Json());
  return json;
}

Json json_of(const Run& run, const FastGoal& goal) {
  Json json{{"name", name_of(goal)}, {"of", cell_name(goal.of.workload, goal.of.subject)}};
  json["to"] = Json::array();
  for (const CellName& to : goal.to) json["to"].push_back(cell_name(to.workload, to.subject));
  if (const auto figure = run.ratio(goal.of, goal.to)) {
    json["ratio"] = *figure;
    json["met"] = goal.met_by(*figure);
  }
  json[goal.kind == FastGoal::Kind::kAtMost ? "at_most" : "at_least"] = goal.bound;
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
    if (!headed) fmt::print("\n{:<58} {:>8} {:<14}\n", "GOAL", "IS", "MUST BE");
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
