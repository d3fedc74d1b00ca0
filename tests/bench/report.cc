// Report: medians, quartiles, ratios.
#include "bench/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "bench/timing.h"

namespace comch::bench {
namespace {

using Json = nlohmann::ordered_json;

// The distance between the quartiles, in per cent of the median.
double spread(std::vector<double> samples) {
  if (samples.size() < 2) return 0;
  std::ranges::sort(samples);
  const double quartiles = samples[samples.size() * 3 / 4] - samples[samples.size() / 4];
  return 100 * quartiles / median(samples);
}

std::optional<double> ratio(const std::vector<Cell>& cells, const Goal& goal) {
  const auto find = [&](const std::string& name) -> std::optional<double> {
    const auto cell = std::ranges::find(cells, name, &Cell::name);
    if (cell == cells.end() || cell->samples.empty()) return std::nullopt;
    return median(cell->samples);
  };
  const std::optional<double> of = find(goal.of);
  const std::optional<double> to = find(goal.to);
  if (!of || !to) return std::nullopt;
  return *of / *to;
}

bool meets(double ratio, const Goal& goal) {
  return goal.kind == Goal::Kind::kAtMost ? ratio <= goal.bound : ratio >= goal.bound;
}

std::string_view in_words(Goal::Kind kind) {
  return kind == Goal::Kind::kAtMost ? "at most" : "at least";
}

void print_cell(const Cell& cell) {
  if (cell.samples.empty()) {
    fmt::print("{:<52} {}\n", cell.name,
               cell.skipped.empty() ? std::string("no near pair was found") : cell.skipped);
    return;
  }
  fmt::print("{:<52} {:>10.1f} {:<8} {:>6.0f}% {:>5} {:>8}\n", cell.name, median(cell.samples),
             cell.unit, spread(cell.samples), cell.samples.size(), cell.dropped);
}

void print_goal(const std::vector<Cell>& cells, const Goal& goal) {
  const std::optional<double> value = ratio(cells, goal);
  const auto bound = fmt::format("{} {:.2f}", in_words(goal.kind), goal.bound);
  if (!value) {
    fmt::print("{:<52} {:>10} {:<16}\n", goal.name, "-", bound);
    return;
  }
  fmt::print("{:<52} {:>10.2f} {:<16} {}\n", goal.name, *value, bound,
             meets(*value, goal) ? "met" : "MISSED");
}

Json to_json(const Cell& cell) {
  Json json{{"name", cell.name}, {"unit", cell.unit}};
  if (!cell.samples.empty()) {
    json["median"] = median(cell.samples);
    json["spread_percent"] = spread(cell.samples);
  }
  if (!cell.skipped.empty()) json["skipped"] = cell.skipped;
  json["dropped"] = cell.dropped;
  json["samples"] = cell.samples;
  return json;
}

Json to_json(const std::vector<Cell>& cells, const Goal& goal) {
  Json json{{"name", goal.name}, {"of", goal.of}, {"to", goal.to}};
  if (const auto value = ratio(cells, goal)) {
    json["ratio"] = *value;
    json["met"] = meets(*value, goal);
  }
  json[goal.kind == Goal::Kind::kAtMost ? "at_most" : "at_least"] = goal.bound;
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
  fmt::print("{:<52} {:>10} {:<8} {:>7} {:>5} {:>8}\n", "CELL", "MEDIAN", "UNIT", "SPREAD", "KEPT",
             "DROPPED");
  for (const Cell& cell : cells) print_cell(cell);
  fmt::print("\n{:<52} {:>10} {:<16}\n", "RATIO", "IS", "GOAL");
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
