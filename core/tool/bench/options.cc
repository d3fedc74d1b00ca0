// BenchOptions: the words of the command line, and which of them go together.
#include "tool/bench/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tool/bench/placement.h"
#include "tool/bench/plot_file.h"
#include "tool/bench/units.h"
#include "tool/option_values.h"

namespace comch::tool {
namespace {

// Of a comparison, when nobody says: a median leaves out two that were disturbed.
constexpr std::uint32_t kRoundsOfComparison = 5;
constexpr std::uint32_t kMostRounds = 1000;

const std::vector<std::size_t>& default_sizes(Path path) {
  static const std::vector<std::size_t> fast{8,          64,       512,       4 * kKib, 32 * kKib,
                                             256 * kKib, 2 * kMib, 16 * kMib, 64 * kMib};
  static const std::vector<std::size_t> control{8, 64, 1024, 4080};
  return path == Path::kFast ? fast : control;
}

std::string objection_to_size(const std::string& text) {
  const auto size = parse_size(text);
  if (size && *size >= 1 && *size <= BenchOptions::kLargest) return {};
  return fmt::format("\"{}\" is no size from 1 to 64M, such as 8, 4096 or 64K", text);
}

std::string objection_to_way(const std::string& word) {
  if (parse_way(word)) return {};
  std::string known;
  for (std::size_t n = 0; n < kWays; ++n) {
    known += (n == 0 ? "" : ", ") + std::string(name(static_cast<Way>(n)));
  }
  return fmt::format("there is no way \"{}\"; there are {}", word, known);
}

void add_lists(CLI::App& command, BenchOptions& options) {
  command
      .add_option_function<std::vector<std::string>>(
          "--sizes",
          [&options](const std::vector<std::string>& texts) {
            options.sizes.clear();
            for (const auto& text : texts) options.sizes.push_back(parse_size(text).value());
          },
          "Message sizes in bytes, with commas between; K and M stand for KiB and MiB")
      ->delimiter(',')
      ->type_name("SIZE")
      ->check(objection_to_size);
  command
      .add_option_function<std::vector<std::string>>(
          "--way",
          [&options](const std::vector<std::string>& words) {
            options.ways.clear();
            for (const auto& word : words) options.ways.push_back(parse_way(word).value());
          },
          "How data goes, with commas between: auto, mapped, staged, cma, loan, hand-over")
      ->delimiter(',')
      ->type_name("WAY")
      ->check(objection_to_way);
}

[[noreturn]] void object(const char* option, const std::string& why) {
  throw CLI::ValidationError(option, why);
}

void check_processors(const std::vector<int>& wanted) {
  const std::vector<int> usable = usable_processors();
  for (int processor : wanted) {
    if (std::ranges::find(usable, processor) != usable.end()) continue;
    object("--cpus", fmt::format("processor {} cannot be used here; these can: {}", processor,
                                 fmt::join(usable, ", ")));
  }
}

void check_control_path(const CLI::App& command, const BenchOptions& options) {
  for (const char* option :
       {"--api", "--rounds", "--way", "--by", "--read", "--producers", "--consumers"}) {
    if (command.count(option) > 0) object(option, "this is about the fast path only");
  }
  if (std::ranges::max(options.sizes) > BenchOptions::kLargestControl) {
    object("--sizes", "a message of the control path has at most 65535 bytes");
  }
}

// The C API has tasks, and leaves the way to the library.
void check_c_api(const BenchOptions& options) {
  if (options.by != By::kTasks) object("--by", "the C API sends and receives with tasks only");
  if (options.ways != std::vector{Way::kAuto}) {
    object("--way", "the C API has no ways to choose from: it is auto, always");
  }
}

}  // namespace

void add_bench_options(CLI::App& command, BenchOptions& options) {
  static const std::map<std::string, Path> kPaths{{"fast", Path::kFast},
                                                  {"control", Path::kControl}};
  static const std::map<std::string, By> kBy{{"tasks", By::kTasks}, {"arrays", By::kArrays}};
  static const std::map<std::string, Waiting> kWaiting{{"poll", Waiting::kPoll},
                                                       {"sleep", Waiting::kSleep}};
  static const std::map<std::string, std::vector<Api>> kApis{
      {"c++", {Api::kCpp}}, {"doca", {Api::kDoca}}, {"both", {Api::kCpp, Api::kDoca}}};
  add_choice<Path>(command, "--path", options.path, "Which path to measure (default fast)", kPaths);
  add_choice<std::vector<Api>>(command, "--api", options.apis,
                               "Through comch's API (default), the C API, or one after the other",
                               kApis);
  command.add_option("--rounds", options.rounds, "Parts of each measurement; 5 of --api both")
      ->check(CLI::Range(1U, kMostRounds))
      ->capture_default_str();
  add_lists(command, options);
  add_choice<By>(command, "--by", options.by, "Send and receive with tasks (default) or in arrays",
                 kBy);
  command.add_flag("--read", options.reads, "Read every cache line of what is received");
  add_choice<Waiting>(command, "--wait", options.waiting, "Wait by polling (default) or asleep",
                      kWaiting);
  command.add_flag_callback(
      "--sleep", [&options] { options.waiting = Waiting::kSleep; }, "The same as --wait sleep");
  command.add_option("--producers", options.producers, "Producers, each with a thread")
      ->check(CLI::Range(1U, FastPlan::kMostEnds))
      ->capture_default_str();
  command.add_option("--consumers", options.consumers, "Consumers, each with a thread")
      ->check(CLI::Range(1U, FastPlan::kMostEnds))
      ->capture_default_str();
  takes_seconds(
      command.add_option("--seconds", options.seconds, "Time for each measurement, two in a row"),
      0.001, 3600)
      ->capture_default_str();
  command.add_option("--cpus", options.cpus, "Keep the two processes on these processors")
      ->delimiter(',')
      ->type_name("A,B")
      ->expected(2);
  command.add_option("--plot", options.plot, "Draw the figures into a file: .svg or .png")
      ->type_name("FILE")
      ->check(objection_to_plot_file);
}

void check_bench_options(const CLI::App& command, BenchOptions& options) {
  if (options.sizes.empty()) options.sizes = default_sizes(options.path);
  check_processors(options.cpus);
  if (options.path == Path::kControl) check_control_path(command, options);
  if (std::ranges::find(options.apis, Api::kDoca) != options.apis.end()) check_c_api(options);
  if (options.compares() && command.count("--rounds") == 0) options.rounds = kRoundsOfComparison;
}

}  // namespace comch::tool
