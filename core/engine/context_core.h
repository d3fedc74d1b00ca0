// ContextCore: the life of a context, whatever it is a context of.
//
// A Context of the public API is a face; this is what stands behind it. It holds the
// state (moved only along the table of context_state.h), the tie to the engine, the
// count of tasks and the last failure. A server or a client is a ContextCore that says
// what to do on each transition.
//
// Threads: the engine's. Lifetime: owned by the application through the face.
#pragma once

#include <cstddef>
#include <string>

#include "base/intrusive_list.h"
#include "comch/context.h"
#include "comch/fork_mark.h"
#include "engine/context_state.h"

namespace comch::engine {

class Engine;
class Source;

class ContextCore : public ListLink<> {
 public:
  explicit ContextCore(Context& face) : face_(face) { face.core_ = this; }
  ContextCore(const ContextCore&) = delete;
  ContextCore& operator=(const ContextCore&) = delete;
  virtual ~ContextCore();

  static ContextCore& of(Context& face) { return *face.core_; }
  static const ContextCore& of(const Context& face) { return *face.core_; }

  Result<ContextState> start();
  Result<ContextState> stop(bool deliver);

  // What is held back is handed over.
  virtual void flush() {}

  // What of it progress() looks at in memory, if it is one source; else null.
  virtual Source* source() { return nullptr; }

  // Called by progress() after request_work(): does a bounded amount; true when something
  // happened. Reaches idle here, and only here, when the context was stopping.
  bool work();
  // Asks for a call of work() by the next progress().
  void request_work();

  // not_permitted: this is a child of the process that made the context.
  Status require_home() const;

  ContextState state() const { return state_; }
  bool idle() const { return state_ == ContextState::kIdle; }
  Context& face() const { return face_; }
  Engine* engine() const { return engine_; }
  void set_engine(Engine* engine) { engine_ = engine; }
  std::size_t in_flight() const { return in_flight_; }
  const Failure& failure() const { return failure_; }

  Context::StateHandler on_state_changed;
  UserData user_data;

 protected:
  // What a kind of context does at each point of its life.
  virtual Status check_configuration() = 0;
  // Answers true when the context runs at once, false when ready() will follow.
  virtual Result<bool> on_start() = 0;
  // `deliver`: what was submitted is still to be delivered.
  virtual void on_stop(bool deliver) = 0;
  // Asked before an orderly stop. in_use: something of the application's stands on it.
  virtual Status check_stop() const { return {}; }
  virtual bool on_work() = 0;
  // Nothing is outstanding: no task is out, no connection is left.
  virtual bool drained() const = 0;
  virtual void on_idle() = 0;
  // The engine is going: let go of everything it watches, without a callback.
  virtual void on_cut_off() = 0;

  // Of every setting that is configuration. bad_state: the context is not idle.
  Status require_idle() const;

  void ready();
  // Records why and begins the end of the context.
  void fatal(const Error& error, std::string text);
  void record_failure(const Error& error, std::string text);

  void task_submitted() { ++in_flight_; }
  void task_completed() { --in_flight_; }
  void tasks_submitted(std::size_t count) { in_flight_ += count; }
  void tasks_completed(std::size_t count) { in_flight_ -= count; }

 private:
  friend class Engine;
  // Of one that is stopping; true: it is idle. Apart, as what is seldom is in Engine.
  [[gnu::noinline]] bool end_if_drained();
  void cut_off();
  void enter(ContextState next);

  Context& face_;
  const ForkMark home_;
  Engine* engine_ = nullptr;
  std::size_t in_flight_ = 0;
  Failure failure_;
  ContextState state_ = ContextState::kIdle;
};

}  // namespace comch::engine
