// EngineHost: the progress engine as the loop sees it.
//
// Most requests of the kernel need nothing of the engine: a message is taken from a
// paused connection, or put into a peer's queue, and that is all. Only what may make
// something happen *later* (resume, request_space, start, stop) says touch(), and only
// then, or when event_fd() is readable, the engine is run. In between it stays armed, so
// that a message through the mount costs no call of request_notification().
//
// Threads: the loop's.
#pragma once

#include <memory>

#include "comch/progress_engine.h"

namespace comch::fuse {

class EngineHost {
 public:
  static Result<std::unique_ptr<EngineHost>> create();

  ProgressEngine& engine() { return *engine_; }

  // Something was asked of the engine that progress() has to look at.
  void touch() { touched_ = true; }

  // event_fd() is readable.
  void notified() { touched_ = true; }

  // Runs the engine if there may be a reason to. True: callbacks may have run. Does not
  // run for ever; is_settled() tells whether more is to be done.
  bool run();
  bool is_settled() const { return !touched_; }

  // To be called when settled, before sleeping: event_fd() is good from here on.
  void arm();

 private:
  explicit EngineHost(std::unique_ptr<ProgressEngine> engine) : engine_(std::move(engine)) {}

  std::unique_ptr<ProgressEngine> engine_;
  bool touched_ = true;
  bool armed_ = false;
};

}  // namespace comch::fuse
