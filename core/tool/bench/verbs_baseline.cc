// VerbsBaseline: see verbs_baseline.h. Each program is run twice, as its own peer.
#include "tool/bench/verbs_baseline.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tool/bench/spawned.h"

namespace comch::tool {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

constexpr std::size_t kTypicalLatency = 4;  // Columns of what the programs print.
constexpr std::size_t kAverageBandwidth = 3;
constexpr double kBytesPerMib = 1024.0 * 1024.0;

// Fewer say nothing, more nothing new.
constexpr std::uint64_t kFewest = 100;
constexpr std::uint64_t kMost = 10'000;

constexpr int kNotInstalled = 127;  // What timeout(1) says of a program that there is not.

// What became of a program; without its end it has not begun.
struct Ran {
  std::optional<int> status;
  std::string output;
};

// Runs it to its end.
Ran run_program(const std::vector<std::string>& words) {
  const auto child = spawn(words.front().c_str(), words, Errors::kDropped);
  if (!child) return {};
  Ran ran;
  std::array<char, 4096> piece;
  for (ssize_t got = 0; (got = ::read(child->output.get(), piece.data(), piece.size())) > 0;) {
    ran.output.append(piece.data(), static_cast<std::size_t>(got));
  }
  int status = 0;
  if (::waitpid(child->pid, &status, 0) == child->pid && WIFEXITED(status)) {
    ran.status = WEXITSTATUS(status);
  }
  return ran;
}

// Both ends have a time limit of their own, so that neither is left behind.
std::optional<double> run_within(std::chrono::seconds limit, const char* program,
                                 const Figures& comch, std::size_t column,
                                 const std::string& address) {
  const std::uint64_t messages = std::clamp(comch.round_trips.ns.count(), kFewest, kMost);
  const std::vector<std::string> server_words = {"timeout",
                                                 fmt::to_string(limit.count()),
                                                 program,
                                                 "-R",
                                                 "-F",
                                                 "-s",
                                                 fmt::to_string(comch.size),
                                                 "-n",
                                                 fmt::to_string(messages)};
  std::vector<std::string> client_words = server_words;
  client_words.push_back(address);
  std::thread server([&] { run_program(server_words); });
  std::optional<double> found;
  const auto deadline = std::chrono::steady_clock::now() + limit * 3 / 4;
  // Its server says nowhere that it listens.
  while (!found && std::chrono::steady_clock::now() < deadline) {
    const Ran client = run_program(client_words);
    if (!client.status || *client.status == kNotInstalled) break;
    if (*client.status == 0) {
      found = perftest_column(client.output, comch.size, column);
      break;
    }
    std::this_thread::sleep_for(50ms);
  }
  server.join();
  return found;
}

// A server that has lost its first client hears no other, so there is a second one. That one has
// longer, for messages that take long.
std::optional<double> run(const char* program, const Figures& comch, std::size_t column,
                          const std::string& address) {
  const auto found = run_within(5s, program, comch, column, address);
  return found ? found : run_within(20s, program, comch, column, address);
}

}  // namespace

std::optional<double> perftest_column(std::string_view output, std::size_t size,
                                      std::size_t column) {
  std::istringstream lines{std::string(output)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::vector<double> row;
    for (double number = 0; words >> number;) row.push_back(number);
    if (row.size() > column && row.front() == static_cast<double>(size)) return row[column];
  }
  return std::nullopt;
}

std::optional<VerbsFigures> VerbsBaseline::measure(const Figures& comch) const {
  const auto write = run("ib_write_lat", comch, kTypicalLatency, address_);
  const auto send = write ? run("ib_send_lat", comch, kTypicalLatency, address_) : std::nullopt;
  const auto bandwidth =
      send ? run("ib_write_bw", comch, kAverageBandwidth, address_) : std::nullopt;
  if (!bandwidth) return std::nullopt;
  return VerbsFigures{.write_half_us = *write,
                      .send_half_us = *send,
                      .write_bytes_per_second = *bandwidth * kBytesPerMib};
}

VerbsRatio ratio_to(const VerbsFigures& verbs, const Figures& figures) {
  const double half_us = static_cast<double>(figures.round_trips.ns.percentile(0.5)) / 2000;
  return {.size = figures.size,
          .to_write_latency = half_us / verbs.write_half_us,
          .to_send_latency = half_us / verbs.send_half_us,
          .to_write_bandwidth = figures.bytes_per_second() / verbs.write_bytes_per_second};
}

std::string table_row(const VerbsRatio& ratio) {
  return fmt::format(
      "{:>8}  {:<20} {:.2f} x ib_write_lat, {:.2f} x ib_send_lat, {:.2f} x ib_write_bw\n",
      ratio.size, "by verbs alone", ratio.to_write_latency, ratio.to_send_latency,
      ratio.to_write_bandwidth);
}

nlohmann::ordered_json to_json(const VerbsRatio& ratio) {
  return {{"size", ratio.size},
          {"to_write_latency", ratio.to_write_latency},
          {"to_send_latency", ratio.to_send_latency},
          {"to_write_bandwidth", ratio.to_write_bandwidth}};
}

}  // namespace comch::tool
