// Sibling: one more producer on the connection of another, with a thread and an engine of its own,
// which sends to the same consumer from its beginning to its end.
//
//   Sibling sibling(end, plan, processor);
//   ...
//   sibling.finish();                          // All it has sent is complete.
//
// Threads: its maker's, where the connection lives; send() is its own thread's. Lifetime: the
// ProducerEnd outlives it. Errors: std::runtime_error, of finish().
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <thread>

#include "bench/fast/fast_ends.h"

namespace comch::bench {

class Sibling {
 public:
  Sibling(ProducerEnd& beside, const FastPlan& plan, int processor);
  ~Sibling();
  Sibling(const Sibling&) = delete;
  Sibling& operator=(const Sibling&) = delete;

  void finish();

 private:
  void run(const FastPlan& plan, int processor);
  void send(const FastPlan& plan);

  const ConsumerId consumer_;
  std::unique_ptr<Producer> producer_;
  std::atomic<bool> finishing_{false};
  std::exception_ptr error_;
  std::thread thread_;
};

}  // namespace comch::bench
