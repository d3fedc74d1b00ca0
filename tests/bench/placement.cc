// Placement: measures pairs of processors with two spinning threads.
#include "bench/placement.h"

#include <sched.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <system_error>
#include <thread>

#include "bench/timing.h"

namespace comch::bench {
namespace {

struct alignas(128) Line {
  std::atomic<std::uint32_t> turn{0};
};

// Enough for a stable median, and short: every pair is measured before every cell.
constexpr std::uint32_t kTurns = 640;

// Both say and hear `turn`: each edge below is from one thread's store to the other's load.
void say(Line& line, std::uint32_t turn) { line.turn.store(turn, std::memory_order_release); }
void hear(const Line& line, std::uint32_t turn) {
  while (line.turn.load(std::memory_order_acquire) != turn) {
  }
}

}  // namespace

std::vector<int> usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) {
    throw std::system_error(errno, std::generic_category(), "sched_getaffinity");
  }
  std::vector<int> usable;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (CPU_ISSET(static_cast<std::size_t>(processor), &set)) usable.push_back(processor);
  }
  return usable;
}

void run_on(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(processor), &set);
  if (::sched_setaffinity(0, sizeof set, &set) != 0) {
    throw std::system_error(errno, std::generic_category(), "sched_setaffinity");
  }
}

double line_round_trip_ns(const Pair& pair) {
  Line there;
  Line back;
  double median = 0;
  std::thread answerer([&] {
    run_on(pair.answerer);
    for (std::uint32_t turn = 1; turn <= kTurns; ++turn) {
      hear(there, turn);
      say(back, turn);
    }
  });
  std::thread asker([&] {
    run_on(pair.asker);
    std::uint32_t turn = 0;
    median = median_ns(Turns{kTurns}, [&] {
      say(there, ++turn);
      hear(back, turn);
    });
  });
  asker.join();
  answerer.join();
  return median;
}

std::optional<Placed> find_pair() {
  const std::vector<int> usable = usable_processors();
  std::optional<Placed> best;
  for (std::size_t i = 0; i < usable.size(); ++i) {
    for (std::size_t j = i + 1; j < usable.size(); ++j) {
      const Pair pair{.asker = usable[i], .answerer = usable[j]};
      const Placed placed = placed_now(pair);
      if (placed.distance == Distance::kSiblings) continue;
      if (!best || placed.line_ns < best->line_ns) best = placed;
    }
  }
  return best;
}

Placed placed_now(const Pair& pair) {
  const double ns = line_round_trip_ns(pair);
  return {.pair = pair, .distance = distance_of(ns), .line_ns = ns};
}

Pair any_pair() {
  const std::vector<int> usable = usable_processors();
  return {.asker = usable.front(), .answerer = usable.back()};
}

}  // namespace comch::bench
