// Report: one line, or one object, for each row of figures.
#include "tool/bench/report.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "tool/bench/units.h"

namespace comch::tool {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::pair<const char*, double>, 3> kPercentiles{
    {{"p50_ns", 0.5}, {"p99_ns", 0.99}, {"p99.9_ns", 0.999}}};

std::string subject(const BenchOptions& options) {
  const std::string_view waiting = options.waiting == Waiting::kPoll ? "polling" : "sleeping";
  if (options.path == Path::kControl) return fmt::format("Control path, {}", waiting);
  return fmt::format("Fast path, by {}, {}, {} producer{} x {} consumer{}", name(options.by),
                     waiting, options.producers, options.producers == 1 ? "" : "s",
                     options.consumers, options.consumers == 1 ? "" : "s");
}

// How messages really went, when that is not what the way is called.
std::string way_text(const Figures& figures) {
  if (figures.used.empty() || figures.used.front().way == figures.way) return figures.way;
  return fmt::format("{} ({})", figures.way, figures.used.front().way);
}

Json to_json(const Figures& figures) {
  Json round_trip{{"count", figures.round_trips.ns.count()}};
  for (const auto& [label, share] : kPercentiles) {
    round_trip[label] = figures.round_trips.ns.percentile(share);
  }
  Json used = Json::object();
  for (const Used& way : figures.used) used[way.way] = way.messages;
  return {{"size", figures.size},
          {"way", figures.way},
          {"used", std::move(used)},
          {"round_trip", std::move(round_trip)},
          {"one_way",
           {{"messages", figures.one_way.messages},
            {"seconds", figures.one_way.seconds},
            {"messages_per_second", figures.one_way.messages_per_second()},
            {"bytes_per_second", figures.bytes_per_second()}}}};
}

}  // namespace

std::string table_head(const BenchOptions& options) {
  return fmt::format(
      "{}\n\n{:>8}  {:<20} {:-^30} {:-^25}\n{:>8}  {:<20} {:>9} {:>9} {:>9}  {:>11} {:>12}\n",
      subject(options), "", "", " round trip ", " one way ", "SIZE", "WAY", "P50", "P99", "P99.9",
      "MESSAGES/s", "BYTES/s");
}

std::string table_row(const Figures& figures) {
  std::string line = fmt::format("{:>8}  {:<20}", size_text(figures.size), way_text(figures));
  for (const auto& [label, share] : kPercentiles) {
    const auto ns = static_cast<double>(figures.round_trips.ns.percentile(share));
    line += fmt::format(" {:>9}", duration_text(ns));
  }
  return line + fmt::format("  {:>11} {:>12}\n", rate_text(figures.one_way.messages_per_second()),
                            bytes_text(figures.bytes_per_second()));
}

Json bench_json(const BenchOptions& options, const std::vector<Figures>& rows) {
  Json results = Json::array();
  for (const Figures& row : rows) results.push_back(to_json(row));
  Json all{{"benchmark", name(options.path)}, {"waiting", name(options.waiting)}};
  if (options.path == Path::kFast) {
    all["by"] = name(options.by);
    all["producers"] = options.producers;
    all["consumers"] = options.consumers;
  }
  all["results"] = std::move(results);
  return all;
}

}  // namespace comch::tool
