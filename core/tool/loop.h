// Loop: one wait for messages, input and Ctrl-C.
//
//   Loop loop = Loop::create().value();
//   loop.engine().connect(*client);
//   Wake why = loop.run_until([&] { return client->state() == ContextState::kRunning; },
//                             Loop::deadline_in(10s));
//
// SIGINT, SIGTERM and SIGHUP end the wait with kInterrupted, so that the subcommand can
// take its leave of the peers; a write to standard output that waits for its reader fails with
// EINTR. A second signal ends the process at once.
//
// Threads: one thread; at most one Loop in a process.
// Order: the engine runs before input is looked at, and `done` is asked after both.
// Lifetime: the loop owns the engine and outlives its contexts.
#pragma once

#include <array>
#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <optional>

#include "comch/progress_engine.h"
#include "tool/complaint.h"
#include "tool/descriptor.h"

namespace comch::tool {

enum class Wake { kDone, kTimeout, kInterrupted };

// What ends a subcommand in good order.
inline constexpr std::array kEndingSignals{SIGINT, SIGTERM, SIGHUP};

class Loop {
 public:
  using Clock = std::chrono::steady_clock;
  using Deadline = std::optional<Clock::time_point>;  // Nothing: for ever.

  static Deadline deadline_in(std::chrono::duration<double> time);
  static Outcome<Loop> create();

  ProgressEngine& engine() { return *engine_; }

  // Calls `ready` whenever `fd` is readable or at its end and `wanted` says yes. One
  // descriptor at a time; -1 ends it, also from inside `ready`.
  void watch(int fd, std::function<bool()> wanted, std::function<void()> ready);

  // Runs until `done` says yes, `deadline` has passed or a signal has come.
  Wake run_until(const std::function<bool()>& done, Deadline deadline = std::nullopt);

  // Runs until a context that was stopped is idle. No: a peer that has stopped reading holds it up.
  bool take_leave(const std::function<bool()>& idle);

 private:
  // How long a peer may hold up our leave. Picked, not tuned.
  static constexpr std::chrono::seconds kLeaveTakes{10};

  Loop(std::unique_ptr<ProgressEngine> engine, Descriptor signalled);

  // Sleeps until something is ready, not at all when `busy`, and calls the watcher.
  void look(bool busy, Deadline deadline);

  std::unique_ptr<ProgressEngine> engine_;
  Descriptor signalled_;
  bool interrupted_ = false;
  int watched_ = -1;
  std::function<bool()> wanted_;
  std::function<void()> ready_;
};

}  // namespace comch::tool
