// BenchTurn: one turn of the engine, the way a benchmark waits: looking busily, or asleep
// until rung.
//
//   BenchTurn turn(*engine, Waiting::kBusy);
//   while (answers < wanted) turn();
//
// Threads: the engine's.
#pragma once

#include <sched.h>

#include <chrono>
#include <cstdint>

#include "comch/progress_engine.h"

namespace comch::tool {

// How both processes wait.
enum class Waiting : std::uint8_t { kBusy, kSleep };

class BenchTurn {
 public:
  BenchTurn(ProgressEngine& engine, Waiting waiting) : engine_(engine), waiting_(waiting) {}

  void operator()() {
    if (waiting_ == Waiting::kSleep) {
      // The time-out is for deadlines around the turn; nothing is to be found by it.
      engine_.wait(std::chrono::milliseconds(100), std::chrono::nanoseconds(0));
    } else if (engine_.progress()) {
      idle_looks_ = 0;
    } else if (++idle_looks_ == kPatience) {
      // The peer has not answered for some hundred times the usual: it may be waiting for
      // this very CPU.
      idle_looks_ = 0;
      ::sched_yield();
    }
  }

 private:
  static constexpr int kPatience = 2000;  // Looks; about 50 us. Picked, not tuned.

  ProgressEngine& engine_;
  Waiting waiting_;
  int idle_looks_ = 0;
};

}  // namespace comch::tool
