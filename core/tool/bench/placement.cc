// Placement: measures pairs of processors with two spinning threads.
#include "tool/bench/placement.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace comch::tool {
namespace {

using Clock = std::chrono::steady_clock;

// Enough round trips for a stable minimum, and over within microseconds.
constexpr std::uint32_t kTurns = 300;
// A pair of which one processor is busy with something else is given up after this.
constexpr std::chrono::milliseconds kPatience{4};
// Of more processors not every pair is measured: there are more than enough near ones.
constexpr std::size_t kCandidates = 12;
constexpr auto kNever = Clock::duration::max();

struct alignas(128) Line {
  std::atomic<std::uint32_t> turn{0};
};

// TURN: say() to hear(); nothing but the number itself is passed.
void say(Line& line, std::uint32_t turn) { line.turn.store(turn, std::memory_order_release); }

// False when it was not said in time.
bool hear(const Line& line, std::uint32_t turn, Clock::time_point deadline) {
  // TURN: meets say()'s release.
  for (unsigned looks = 1; line.turn.load(std::memory_order_acquire) != turn; ++looks) {
    if (looks % 1024 == 0 && Clock::now() > deadline) return false;
  }
  return true;
}

// The fastest of the round trips of a line between the two; kNever when they may not be used.
Clock::duration round_trip(const ProcessorPair& pair) {
  Line there;
  Line back;
  Clock::duration fastest = kNever;
  const auto deadline = Clock::now() + kPatience;
  std::jthread answerer([&] {
    if (!run_on(pair.peer)) return;
    for (std::uint32_t turn = 1; turn <= kTurns && hear(there, turn, deadline); ++turn) {
      say(back, turn);
    }
  });
  std::jthread asker([&] {
    if (!run_on(pair.own)) return;
    for (std::uint32_t turn = 1; turn <= kTurns; ++turn) {
      const auto begin = Clock::now();
      say(there, turn);
      if (!hear(back, turn, deadline)) return;
      fastest = std::min(fastest, Clock::now() - begin);
    }
  });
  asker.join();
  answerer.join();
  return fastest;
}

}  // namespace

std::vector<int> usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return {};
  std::vector<int> usable;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (CPU_ISSET(static_cast<std::size_t>(processor), &set)) usable.push_back(processor);
  }
  return usable;
}

std::optional<ProcessorPair> find_near_pair() {
  std::vector<int> usable = usable_processors();
  if (usable.size() > kCandidates) usable.resize(kCandidates);
  std::optional<ProcessorPair> best;
  auto fastest = kNever;
  for (std::size_t i = 0; i < usable.size(); ++i) {
    for (std::size_t j = i + 1; j < usable.size(); ++j) {
      const ProcessorPair pair{.own = usable[i], .peer = usable[j]};
      const auto took = round_trip(pair);
      if (took >= fastest) continue;
      best = pair;
      fastest = took;
    }
  }
  return best;
}

Outcome<> run_on(int processor) {
  if (processor < 0) return {};
  cpu_set_t set;
  CPU_ZERO(&set);
  if (processor < CPU_SETSIZE) CPU_SET(static_cast<std::size_t>(processor), &set);
  if (::sched_setaffinity(0, sizeof set, &set) == 0) return {};
  return complain(fmt::format("cannot run on processor {}", processor),
                  Error{.code = Errc::operating_system, .sys = errno});
}

}  // namespace comch::tool
