// uring_bench: loops that wait in a ring of comch-uring; README.md says how to read it. What
// messages cost that nobody waits for, fastpath_bench measures.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>

#include "bench/cell_program.h"
#include "bench/peers/workload.h"
#include "bench/ring/file_to_peer.h"
#include "bench/ring/mixed.h"
#include "bench/ring/ring_calls.h"
#include "bench/ring/wake.h"

namespace {

using namespace comch::bench;

// Far longer than a ring spins before it sleeps, so that every message finds a sleeper.
constexpr Duration kIdle = std::chrono::microseconds(500);

constexpr const char* kBareWake = "wake: eventfd, through io_uring";
constexpr const char* kRingWake = "wake: one connection of a ring";
constexpr const char* kTcpAlone = "round trip 64 B: TCP alone";
constexpr const char* kTcpBeside = "round trip 64 B: TCP beside a channel";
constexpr const char* kChannelAlone = "round trip 64 B: channel alone";
constexpr const char* kChannelBeside = "round trip 64 B: channel beside TCP";

// A file of each size, in another process's memory.
struct FileSize {
  std::size_t bytes;
  const char* name;
};
constexpr std::array kFiles{FileSize{4 * kKib, "4 KiB"}, FileSize{64 * kKib, "64 KiB"},
                            FileSize{kMib, "1 MiB"}, FileSize{16 * kMib, "16 MiB"}};
std::string file_cell(const char* size, const char* way) {
  return fmt::format("file {}: {}", size, way);
}
constexpr const char* kRead = "read() alone";
constexpr const char* kReadAndSend = "read() and send";
constexpr const char* kSendFile = "prep_send_file()";
constexpr const char* kSendShown = "prep_send_file() of a shown file";

void add_file_cells(std::vector<Cell>& cells, Duration time) {
  for (const FileSize& file : kFiles) {
    const std::size_t bytes = file.bytes;
    const char* const size = file.name;
    const auto add = [&](const char* way, auto measure) {
      cells.push_back({.name = file_cell(size, way),
                       .unit = "us",
                       .placed = true,
                       .measure = [measure](const Pair& pair) { return measure(pair) / 1e3; }});
    };
    add(kRead, [=](const Pair& pair) { return read_file_ns(pair, bytes, time); });
    add(kReadAndSend, [=](const Pair& pair) { return read_and_send_ns(pair, bytes, time); });
    add(kSendFile, [=](const Pair& pair) {
      return send_file_ns(pair, bytes, time, comch::uring::FileUse::kOwn);
    });
    if (bytes < kMib) continue;  // Below, both sides are not asked.
    add(kSendShown, [=](const Pair& pair) {
      return send_file_ns(pair, bytes, time, comch::uring::FileUse::kShown);
    });
  }
}

void add_file_goals(std::vector<Goal>& goals) {
  for (const FileSize& file : kFiles) {
    const std::size_t bytes = file.bytes;
    const char* const size = file.name;
    const auto add = [&](const char* way, const char* to, double bound) {
      goals.push_back({fmt::format("file {}: {} to {}, in speed", size, way, to),
                       file_cell(size, to), file_cell(size, way), at_least(bound)});
    };
    add(kSendFile, kRead, 0.95);
    if (bytes >= kMib) add(kSendShown, kReadAndSend, 1.8);
  }
}

std::vector<Cell> cells_for(Duration time, std::size_t crowd) {
  const auto cell = [](const char* name, auto measure) {
    return Cell{.name = name, .unit = "ns", .placed = true, .measure = measure};
  };
  // Most of it is spent idle.
  const auto wakes = std::make_shared<Wakes>(kIdle, 4 * time, crowd);
  std::vector<Cell> cells{
      cell(kBareWake, [=](const Pair& pair) { return wakes->bare_ns(pair); }),
      cell(kRingWake, [=](const Pair& pair) { return wakes->ring_ns(pair); }),
      cell(kTcpAlone, [=](const Pair& pair) { return tcp_round_trip_ns(pair, time, false); }),
      cell(kTcpBeside, [=](const Pair& pair) { return tcp_round_trip_ns(pair, time, true); }),
      cell(kChannelAlone,
           [=](const Pair& pair) { return channel_round_trip_ns(pair, time, false); }),
      cell(kChannelBeside,
           [=](const Pair& pair) { return channel_round_trip_ns(pair, time, true); }),
  };
  add_file_cells(cells, time);
  return cells;
}

std::vector<Goal> goals() {
  std::vector<Goal> goals{
      {"wake, one of many connections to eventfd", kRingWake, kBareWake, at_most(1.1)},
      {"TCP beside a channel to alone", kTcpBeside, kTcpAlone, at_most(1.2)},
      {"channel beside TCP to alone", kChannelBeside, kChannelAlone, at_most(1.2)}};
  add_file_goals(goals);
  return goals;
}

Facts facts_for(std::uint64_t round_trips, std::size_t crowd) {
  Facts facts = ring_calls(round_trips);
  std::ranges::move(idle_ring(crowd + 1), std::back_inserter(facts));
  return facts;
}

}  // namespace

int main(int argc, char** argv) {
  CellProgram program("uring_bench", "Measures loops that wait in a ring of comch-uring");
  std::size_t crowd = 999;
  program.app().add_option("--crowd", crowd, "Connections that say nothing");
  return program.run(argc, argv, [&] {
    if (program.is_smoke()) crowd = 7;
    const std::uint64_t round_trips = program.is_smoke() ? 1000 : 200'000;
    return Plan{cells_for(program.cell_time(), crowd), goals(),
                [=] { return facts_for(round_trips, crowd); }};
  });
}
