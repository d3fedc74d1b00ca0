// Context: what servers and clients (and producers and consumers) have in common:
// a life, an engine, and tasks.
//
//   idle --start()--> starting --> running --stop()--> stopping --> idle
//
// Servers start at once and never pass through kStarting. Configuration is possible
// only while idle. After idle is reached again a context can be started again.
//
// Threads: a context lives on the thread of its ProgressEngine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "comch/result.h"

namespace comch::engine {
class ContextCore;
}

#pragma GCC visibility push(default)
namespace comch {

class ProgressEngine;

enum class ContextState : std::uint8_t { kIdle, kStarting, kRunning, kStopping };
std::string_view name(ContextState state);  // "idle", "starting", "running", "stopping"

// A word of the application's own, handed back unchanged.
union UserData {
  std::uint64_t value = 0;
  void* pointer;
};

// Why a context last failed, in words: empty text when it never did.
struct Failure {
  Error error;
  std::string text;  // One sentence, with the peer's own reason where it gave one.
};

class Context {
 public:
  using StateHandler = std::function<void(Context&, ContextState before, ContextState after)>;

  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  // A context that is not idle is cut off: its peers see a lost connection, its tasks
  // come back through no callback.
  virtual ~Context() = default;

  // Begins the context's life. Answers the state reached: kRunning, or kStarting when
  // progress() has to finish it.
  // not_connected: no progress engine. bad_state: not idle, or a mandatory setting is
  // missing (Error::what names it). Others: see the class.
  Result<ContextState> start();

  // Ends it: what was submitted is delivered, peers are disconnected, every task comes
  // back once; messages that a server or client has not taken yet are dropped. Answers kIdle,
  // or kStopping when progress() has to finish it; a task that was allocated and never freed
  // keeps the context stopping, and so does a buffer that a producer has handed over, as long
  // as its consumer has it. May be called from any callback.
  // in_use: producers or consumers of its connections are not idle.
  // bad_state: the context is idle.
  Result<ContextState> stop();

  // stop() that delivers nothing more and waits for nobody: what waits is returned with an
  // error and peers see a lost connection. A buffer that was handed over is returned, though its
  // consumer may still be reading it. Also of a context that is stopping.
  Result<ContextState> abort();

  // Hands over what Task::try_submit_more() holds back. Nothing happens where nothing is held.
  void flush();

  ContextState state() const;
  // Called after the context is in its new state, from progress(), start() or stop().
  void on_state_changed(StateHandler handler);
  const Failure& failure() const;

  void set_user_data(UserData data);
  UserData user_data() const;
  std::size_t tasks_in_flight() const;      // Submitted and not completed.
  ProgressEngine* progress_engine() const;  // Null until connected.

 protected:
  Context() = default;
  friend class engine::ContextCore;
  engine::ContextCore* core_ = nullptr;
};

}  // namespace comch
#pragma GCC visibility pop
