// VerbsBaseline: see verbs_baseline.h. Each program is run twice, as its own peer.
#include "tool/bench/verbs_baseline.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace comch::tool {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

constexpr std::size_t kTypicalLatency = 4;  // Columns of what the programs print.
constexpr std::size_t kAverageBandwidth = 3;
constexpr double kMib = 1024.0 * 1024.0;

// What a command line of the shell says, or nothing when it fails.
std::optional<std::string> output_of(const std::string& command) {
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return std::nullopt;
  std::string output;
  std::array<char, 4096> piece;
  while (const std::size_t got = std::fread(piece.data(), 1, piece.size(), pipe)) {
    output.append(piece.data(), got);
  }
  if (::pclose(pipe) != 0) return std::nullopt;
  return output;
}

bool is_installed(const char* program) {
  return output_of(fmt::format("command -v {}", program)).has_value();
}

// The address is one of a device, which holds nothing that a shell would take for its own. Both
// ends have a time limit of their own, so that neither is left behind.
std::optional<double> run(const char* program, std::size_t size, std::size_t column,
                          const std::string& address) {
  if (!is_installed(program)) return std::nullopt;
  const std::string line = fmt::format("timeout 20 {} -R -F -s {} -n 1000", program, size);
  std::thread server([&] { output_of(line + " 2>&1"); });
  std::optional<double> found;
  const auto deadline = std::chrono::steady_clock::now() + 15s;
  // Its server says nowhere that it listens.
  while (!found && std::chrono::steady_clock::now() < deadline) {
    if (const auto output = output_of(fmt::format("{} '{}' 2>/dev/null", line, address))) {
      found = perftest_column(*output, size, column);
      break;
    }
    std::this_thread::sleep_for(50ms);
  }
  server.join();
  return found;
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

std::optional<VerbsFigures> VerbsBaseline::measure(std::size_t size) const {
  const auto write = run("ib_write_lat", size, kTypicalLatency, address_);
  const auto send = write ? run("ib_send_lat", size, kTypicalLatency, address_) : std::nullopt;
  const auto bandwidth =
      send ? run("ib_write_bw", size, kAverageBandwidth, address_) : std::nullopt;
  if (!bandwidth) return std::nullopt;
  return VerbsFigures{
      .write_half_us = *write, .send_half_us = *send, .write_bytes_per_second = *bandwidth * kMib};
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
