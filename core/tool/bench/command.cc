// comch bench: how fast comch is on this machine.
//
// Round trips and the one-way rate between two processes, for several message sizes and ways,
// as a table, as JSON, and as a plot; through either API, or both in turn.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tool/bench/control.h"
#include "tool/bench/fast.h"
#include "tool/bench/options.h"
#include "tool/bench/placement.h"
#include "tool/bench/plot_file.h"
#include "tool/bench/ratio.h"
#include "tool/bench/report.h"
#include "tool/bench/verbs_baseline.h"
#include "tool/commands.h"
#include "tool/fabric.h"

namespace comch::tool {
namespace {

class Bench {
 public:
  Bench(const CommonOptions& common, const BenchOptions& options)
      : common_(with_this_machine(common)), options_(options), baseline_(baseline_of(common_)) {}

  Outcome<> run();

 private:
  Outcome<> measure_size(std::size_t size);
  Outcome<> compare(std::size_t size);
  Outcome<> add(const Outcome<Figures>& figures);
  static void show(const std::string& line);
  static std::optional<VerbsBaseline> baseline_of(const CommonOptions& common);
  void hold_against_verbs(const Figures& figures);
  FastPlan fast_plan(std::size_t size, Way way, Api api) const;
  FastPlan placed(FastPlan plan) const;
  ProcessorPair place() const;

  CommonOptions common_;
  const BenchOptions& options_;
  std::vector<Figures> rows_;
  std::vector<Ratio> ratios_;                    // Of a comparison: one for each size.
  const std::optional<VerbsBaseline> baseline_;  // Over RDMA: what to hold the figures against.
  std::vector<VerbsRatio> verbs_ratios_;
};

Outcome<> Bench::run() {
  // Before the work, not after it: a file that cannot be written.
  auto plot = PlotFile::open(options_.plot);
  if (!plot) return std::unexpected(plot.error());
  if (!common_.json) show(table_head(options_));
  for (std::size_t size : options_.sizes) {
    if (auto measured = measure_size(size); !measured) return measured;
  }
  if (common_.json) {
    auto json = bench_json(options_, rows_, ratios_);
    for (const VerbsRatio& ratio : verbs_ratios_) json["verbs"].push_back(to_json(ratio));
    fmt::print("{}\n", json.dump(2));
  } else if (const std::string note = note_of(rows_); !note.empty()) {
    fmt::print("\n{}\n", note);
  }
  if (baseline_ && verbs_ratios_.empty() && !common_.json) {
    fmt::print(
        "\nno ratios to verbs alone: ib_write_lat and its like (Debian: perftest) did not run\n");
  }
  return plot->draw(rows_);
}

Outcome<> Bench::measure_size(std::size_t size) {
  if (options_.path == Path::kControl) {
    // Both ends make room for it.
    ControlPlan plan{.common = common_,
                     .size = size,
                     .waiting = options_.waiting,
                     .seconds = options_.seconds,
                     .cpus = place()};
    plan.common.max_message_size =
        std::max(common_.max_message_size, static_cast<std::uint32_t>(size));
    return add(measure_control(plan));
  }
  if (options_.compares()) return compare(size);
  for (Way way : options_.ways) {
    const FastPlan plan = fast_plan(size, way, options_.apis.front());
    auto figures = measure_fast(placed(plan));
    for (std::uint32_t round = 1; round < options_.rounds && figures; ++round) {
      auto more = measure_fast(placed(plan));
      if (!more) return std::unexpected(more.error());
      figures->add(*more);
    }
    if (auto added = add(figures); !added) return added;
  }
  return {};
}

// A round of each API in turn, each time another one first: what disturbs the machine disturbs
// both.
Outcome<> Bench::compare(std::size_t size) {
  std::vector<std::vector<Figures>> rounds(options_.apis.size());
  for (std::uint32_t round = 0; round < options_.rounds; ++round) {
    const ProcessorPair cpus = place();
    for (std::size_t turn = 0; turn < options_.apis.size(); ++turn) {
      const std::size_t which = (round + turn) % options_.apis.size();
      FastPlan plan = fast_plan(size, Way::kAuto, options_.apis[which]);
      plan.memory = Storage::kProgram;
      plan.cpus = cpus;
      auto figures = measure_fast(plan);
      if (!figures) return std::unexpected(figures.error());
      figures->way = name(plan.api);
      rounds[which].push_back(std::move(*figures));
    }
  }
  for (const auto& of_api : rounds) {
    Figures all = of_api.front();
    for (const Figures& more : of_api | std::views::drop(1)) all.add(more);
    if (auto added = add(all); !added) return added;
  }
  ratios_.push_back(median_ratio(rounds.back(), rounds.front()));
  if (!common_.json) show(table_row(ratios_.back()));
  return {};
}

FastPlan Bench::fast_plan(std::size_t size, Way way, Api api) const {
  return {.common = common_,
          .api = api,
          .size = size,
          .way = way,
          .by = options_.by,
          .reads = options_.reads,
          .waiting = options_.waiting,
          .producers = options_.producers,
          .consumers = options_.consumers,
          .seconds = options_.seconds / options_.rounds,
          .cpus = {}};
}

FastPlan Bench::placed(FastPlan plan) const {
  plan.cpus = place();
  return plan;
}

Outcome<> Bench::add(const Outcome<Figures>& figures) {
  if (!figures) return std::unexpected(figures.error());
  rows_.push_back(*figures);
  if (!common_.json) show(table_row(*figures));
  if (baseline_) hold_against_verbs(*figures);
  return {};
}

// The client's device says whether this goes over RDMA, and where to.
std::optional<VerbsBaseline> Bench::baseline_of(const CommonOptions& common) {
  const auto device = open_client_device(common);
  if (!device || !(*device)->info().rdma) return std::nullopt;
  const RdmaLink& link = *(*device)->info().rdma;
  return VerbsBaseline(link.server.empty() ? link.address : link.server);
}

void Bench::hold_against_verbs(const Figures& figures) {
  const auto verbs = baseline_->measure(figures);
  if (!verbs) return;
  verbs_ratios_.push_back(ratio_to(*verbs, figures));
  if (!common_.json) show(table_row(verbs_ratios_.back()));
}

// Each line when it is known.
void Bench::show(const std::string& line) {
  fmt::print("{}", line);
  std::ignore = std::fflush(stdout);
}

// One thread on each side is kept near the other; more find their own places.
ProcessorPair Bench::place() const {
  if (options_.cpus.size() == 2) return {.own = options_.cpus[0], .peer = options_.cpus[1]};
  if (options_.producers > 1 || options_.consumers > 1) return {};
  return find_near_pair().value_or(ProcessorPair());
}

}  // namespace

void add_bench(CLI::App& app, const CommonOptions& common, Command& chosen) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* command = app.add_subcommand(
      "bench", "Measure round trips and rates between two processes, for many message sizes");
  add_bench_options(*command, *options);
  command->callback([&common, &chosen, command, options] {
    check_bench_options(*command, *options);
    chosen = [&common, options] { return Bench(common, *options).run(); };
  });
}

}  // namespace comch::tool
