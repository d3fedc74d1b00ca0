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

std::string_view api_word(const BenchOptions& options) {
  return options.compares() ? "both" : name(options.apis.front());
}

std::string_view of_which_api(const BenchOptions& options) {
  if (options.compares()) return " of both APIs";
  return options.apis.front() == Api::kDoca ? " of the C API" : "";
}

std::string subject(const BenchOptions& options) {
  const std::string_view waiting = options.waiting == Waiting::kPoll ? "polling" : "sleeping";
  if (options.path == Path::kControl) return fmt::format("Control path, {}", waiting);
  std::string text = fmt::format(
      "Fast path{}, by {}{}, {}, {} producer{} x {} consumer{}", of_which_api(options),
      name(options.by), options.reads ? " and read" : "", waiting, options.producers,
      options.producers == 1 ? "" : "s", options.consumers, options.consumers == 1 ? "" : "s");
  if (!options.compares()) return text;
  return text + fmt::format(
                    "\nin {} round{} of each in turn, with memory of the program's own; "
                    "doca / c++ is the median of rounds",
                    options.rounds, options.rounds == 1 ? "" : "s");
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

Json to_json(const Ratio& ratio) {
  return {{"size", ratio.size},
          {"round_trip", {{"p50", ratio.p50}, {"p99", ratio.p99}, {"p99.9", ratio.p999}}},
          {"messages_per_second", ratio.messages_per_second}};
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

std::string table_row(const Ratio& ratio) {
  std::string line = fmt::format("{:>8}  {:<20}", size_text(ratio.size), "doca / c++");
  for (double column : {ratio.p50, ratio.p99, ratio.p999})
    line += fmt::format(" {:>8.2f}x", column);
  return line + fmt::format("  {:>10.2f}x {:>11.2f}x\n", ratio.messages_per_second,
                            ratio.messages_per_second);
}

Json bench_json(const BenchOptions& options, const std::vector<Figures>& rows,
                const std::vector<Ratio>& ratios) {
  Json results = Json::array();
  for (const Figures& row : rows) results.push_back(to_json(row));
  Json all{{"benchmark", name(options.path)}, {"waiting", name(options.waiting)}};
  if (options.path == Path::kFast) {
    all["api"] = api_word(options);
    all["rounds"] = options.rounds;
    all["by"] = name(options.by);
    all["read"] = options.reads;
    all["producers"] = options.producers;
    all["consumers"] = options.consumers;
  }
  all["results"] = std::move(results);
  for (const Ratio& ratio : ratios) all["ratios"].push_back(to_json(ratio));
  return all;
}

}  // namespace comch::tool
