// Turn: one turn of the engine, the way a benchmark waits: polling, or asleep until rung.
//
//   Turn turn(*engine, Waiting::kPoll);
//   while (answers < wanted) turn();
//
// Threads: the engine's.
#pragma once

#include <sched.h>

#include <chrono>
#include <cstdint>
#include <string_view>

namespace comch::tool {

// How both processes wait.
enum class Waiting : std::uint8_t { kPoll, kSleep };
constexpr std::string_view name(Waiting waiting) {
  return waiting == Waiting::kPoll ? "poll" : "sleep";
}

// `Engine` has progress() and wait(timeout, spin), as ProgressEngine has.
template <class Engine>
class Turn {
 public:
  Turn(Engine& engine, Waiting waiting) : engine_(engine), waiting_(waiting) {}

  void operator()() {
    if (waiting_ == Waiting::kSleep) {
      // The time-out is for ends and deadlines around the turn; no message is found by it.
      engine_.wait(std::chrono::milliseconds(20), std::chrono::nanoseconds(0));
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

  Engine& engine_;
  Waiting waiting_;
  int idle_looks_ = 0;
};

}  // namespace comch::tool
