// VerbsBaseline: see verbs_baseline.h. Each program is run twice, as its own peer.
#include "tool/bench/verbs_baseline.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
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

constexpr int kNotInstalled = 127;  // What timeout(1) says of a program that there is not.

// What became of a program; without its end it has not begun.
struct Ran {
  std::optional<int> status;
  std::string output;
};

// Runs it to its end; no shell reads the words.
Ran run_program(std::vector<std::string> words) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  const auto [reading, writing] = ends;
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, writing, STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t pid = 0;
  const int error =
      ::posix_spawnp(&pid, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(writing);
  Ran ran;
  std::array<char, 4096> piece;
  for (ssize_t got = 0; (got = ::read(reading, piece.data(), piece.size())) > 0;) {
    ran.output.append(piece.data(), static_cast<std::size_t>(got));
  }
  ::close(reading);
  if (error != 0) return {};
  int status = 0;
  if (::waitpid(pid, &status, 0) == pid && WIFEXITED(status)) ran.status = WEXITSTATUS(status);
  return ran;
}

// Both ends have a time limit of their own, so that neither is left behind.
std::optional<double> run(const char* program, std::size_t size, std::size_t column,
                          const std::string& address) {
  const std::vector<std::string> server_words = {
      "timeout", "20", program, "-R", "-F", "-s", fmt::to_string(size), "-n", "1000"};
  std::vector<std::string> client_words = server_words;
  client_words.push_back(address);
  std::thread server([&] { run_program(server_words); });
  std::optional<double> found;
  const auto deadline = std::chrono::steady_clock::now() + 15s;
  // Its server says nowhere that it listens.
  while (!found && std::chrono::steady_clock::now() < deadline) {
    const Ran client = run_program(client_words);
    if (!client.status || *client.status == kNotInstalled) break;
    if (*client.status == 0) {
      found = perftest_column(client.output, size, column);
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
