// Crew: the lanes of one process, and a thread for each while they work.
//
//   Crew crew(link);
//   crew.add(...);  ...  crew.start();
//   crew.work(cpu, [](Lane& lane, std::size_t number) -> Outcome<> { ... });
//   while (!crew.finished()) link.wait(...);
//   Outcome<> outcome = crew.rest();
//   crew.end();
//
// Threads: one, which is the connection's; work() makes the others and rest() ends them.
// Lifetime: is outlived by the connection of its lanes; its destructor waits for threads,
// which by then have been told to return.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "tool/bench/lane.h"
#include "tool/bench/link.h"
#include "tool/complaint.h"

namespace comch::tool {

class Crew {
 public:
  // What one thread does with its lane, until it is done or told to stop.
  using Job = std::function<Outcome<>(Lane& lane, std::size_t number)>;
  // The patience for one step of the other process, which takes microseconds.
  static constexpr std::chrono::seconds kPatience{10};

  explicit Crew(Link& link) : link_(link) {}
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  void add(std::unique_ptr<Lane> lane) { lanes_.push_back(std::move(lane)); }
  const std::vector<std::unique_ptr<Lane>>& lanes() const { return lanes_; }

  // Starts the lanes, and returns when all of them run and have posted.
  Outcome<> start();
  // Stops and destroys the lanes.
  Outcome<> end();

  void work(int cpu, const Job& job);
  bool finished() const;
  bool failed() const;  // One of the threads has; rest() says why.
  // Waits for the threads; the first complaint of any.
  Outcome<> rest();

 private:
  Outcome<> settle(const std::function<bool(Lane&)>& settled, const char* complaint);

  Link& link_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::vector<Outcome<>> outcomes_;
  std::atomic<std::size_t> working_ = 0;
  std::atomic<bool> failed_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace comch::tool
