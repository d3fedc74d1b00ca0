// Report: medians, quartiles, ratios.
#include "bench/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "bench/columns.h"
#include "bench/timing.h"

namespace comch::bench {
namespace {

using Json = nlohmann::ordered_json;

std::optional<double> ratio(const std::vector<Cell>& cells, const Goal& goal, Distance distance) {
  const auto of = std::ranges::find(cells, goal.of, &Cell::name);
  const auto to = std::ranges::find(cells, goal.to, &Cell::name);
  if (of == cells.end() || to == cells.end()) return std::nullopt;
  const std::vector<double> ratios = ratios_at(distance, of->samples, to->samples);
  return ratios.empty() ? std::nullopt : std::optional(median(ratios));
}

void print_heading() {
  fmt::print("{:<60}", "");
  for (const Distance distance : kMeasured) fmt::print(" {}", distance_heading(distance));
  fmt::print("\n{:<51} {:<8}", "CELL", "UNIT");
  for (std::size_t i = 0; i < kMeasured.size(); ++i) fmt::print(" {}", column_heading());
  fmt::print(" {:>8}\n", "DROPPED");
}

void print_cell(const Cell& cell) {
  if (cell.samples.empty()) {
    fmt::print("{:<51} {}\n", cell.name, cell.skipped.empty() ? kNoPair : cell.skipped);
    return;
  }
  fmt::print("{:<51} {:<8}", cell.name, cell.unit);
  for (const Distance distance : kMeasured) fmt::print(" {}", in_columns(cell.samples, distance));
  fmt::print(" {:>8}\n", cell.dropped);
}

void print_goal(const std::vector<Cell>& cells, const Goal& goal) {
  fmt::print("{:<62} {:<14}", goal.name, in_words(goal.bound));
  for (const Distance distance : kMeasured) {
    const std::optional<double> value = ratio(cells, goal, distance);
    fmt::print(" {:>23}", ratio_in_words(value, value && goal.bound.met_by(*value)));
  }
  fmt::print("\n");
}

Json to_json(const Cell& cell) {
  Json json{{"name", cell.name}, {"unit", cell.unit}};
  for (const Distance distance : kMeasured) {
    const std::vector<double> figures = figures_at(distance, cell.samples);
    if (figures.empty()) continue;
    json[key_of(distance)] = {{"median", median(figures)},
                              {"spread_percent", spread_percent(figures)},
                              {"samples", figures}};
  }
  if (!cell.skipped.empty()) json["skipped"] = cell.skipped;
  json["dropped"] = cell.dropped;
  return json;
}

Json to_json(const std::vector<Cell>& cells, const Goal& goal) {
  Json json{{"name", goal.name}, {"of", goal.of}, {"to", goal.to}};
  for (const Distance distance : kMeasured) {
    if (const auto value = ratio(cells, goal, distance)) {
      json[key_of(distance)] = {{"ratio", *value}, {"met", goal.bound.met_by(*value)}};
    }
  }
  json[key_of(goal.bound)] = goal.bound.value;
  return json;
}

Json to_json(const Fact& fact) {
  Json json{{"name", fact.name}, {"unit", fact.unit}, {"value", fact.value}};
  if (fact.expected) json["expected"] = *fact.expected;
  return json;
}

}  // namespace

void print_table(const std::vector<Cell>& cells, const std::vector<Goal>& goals,
                 const Facts& facts) {
  print_heading();
  for (const Cell& cell : cells) print_cell(cell);
  fmt::print("\n{:<62} {:<14}", "RATIO", "GOAL");
  for (const Distance distance : kMeasured) fmt::print(" {}", distance_heading(distance));
  fmt::print("\n");
  for (const Goal& goal : goals) print_goal(cells, goal);
  fmt::print("\n{:<52} {:>10} {:<16} {}\n", "COUNT", "IS", "UNIT", "GOAL");
  for (const Fact& fact : facts) {
    fmt::print("{:<52} {:>10.4g} {:<16} {}\n", fact.name, fact.value, fact.unit,
               fact.expected ? fmt::format("{:g}", *fact.expected) : "");
  }
}

void print_json(const std::vector<Cell>& cells, const std::vector<Goal>& goals,
                const Facts& facts) {
  Json json{{"cells", Json::array()}, {"goals", Json::array()}, {"facts", Json::array()}};
  for (const Cell& cell : cells) json["cells"].push_back(to_json(cell));
  for (const Goal& goal : goals) json["goals"].push_back(to_json(cells, goal));
  for (const Fact& fact : facts) json["facts"].push_back(to_json(fact));
  fmt::print("{}\n", json.dump(2));
}

}  // namespace comch::bench
