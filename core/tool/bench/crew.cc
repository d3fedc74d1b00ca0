// Crew: lanes begin and end on one thread, which turns all engines; they work on their own.
#include "tool/bench/crew.h"

#include <algorithm>

#include "tool/bench/placement.h"

namespace comch::tool {

Outcome<> Crew::settle(const std::function<bool(Lane&)>& settled, const char* complaint) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!std::ranges::all_of(lanes_, [&](const auto& lane) { return settled(*lane); })) {
    link_.progress();
    for (const auto& lane : lanes_) lane->progress();
    if (std::chrono::steady_clock::now() > deadline) return complain(std::string(complaint));
  }
  return {};
}

Outcome<> Crew::start() {
  for (const auto& lane : lanes_) {
    if (auto started = lane->start(); !started) return started;
  }
  auto settled = settle([](Lane& lane) { return lane.running(); }, "a consumer does not start");
  if (!settled) return settled;
  for (const auto& lane : lanes_) {
    if (auto begun = lane->begin(); !begun) return begun;
  }
  return {};
}

Outcome<> Crew::end() {
  for (const auto& lane : lanes_) {
    if (auto stopped = lane->stop(); !stopped) return stopped;
  }
  auto settled = settle([](Lane& lane) { return lane.idle(); }, "a consumer does not end");
  if (settled) lanes_.clear();
  return settled;
}

void Crew::work(int cpu, const Job& job) {
  outcomes_.assign(lanes_.size(), Outcome<>());
  // Before there are threads.
  working_.store(lanes_.size(), std::memory_order_relaxed);
  failed_.store(false, std::memory_order_relaxed);
  for (std::size_t n = 0; n < lanes_.size(); ++n) {
    threads_.emplace_back([this, cpu, job, n] {
      outcomes_[n] = run_on(cpu);
      if (outcomes_[n]) outcomes_[n] = job(*lanes_[n], n);
      // Only a hint to call rest().
      if (!outcomes_[n]) failed_.store(true, std::memory_order_relaxed);
      // FINISHED: for finished() alone; what the job left is met by join().
      working_.fetch_sub(1, std::memory_order_release);
    });
  }
}

// FINISHED: meets the release in work().
bool Crew::finished() const { return working_.load(std::memory_order_acquire) == 0; }

// A hint: what has failed is met by join().
bool Crew::failed() const { return failed_.load(std::memory_order_relaxed); }

Outcome<> Crew::rest() {
  threads_.clear();  // Joins.
  const auto failed = std::ranges::find_if(outcomes_, [](const auto& outcome) { return !outcome; });
  return failed == outcomes_.end() ? Outcome<>() : *failed;
}

}  // namespace comch::tool
