// ProgressEngine: the one place where comch does work.
//
// Contexts are connected to an engine; progress() looks at them, moves what can be
// moved and runs the callbacks. It never blocks, and its work per call is bounded.
//
//   auto engine = ProgressEngine::create().value();
//   engine->connect(*server);
//   server->start();
//   while (running) engine->wait(std::chrono::milliseconds(100));   // or progress()
//
// To sleep in a loop of your own, watch event_fd() for reading with poll, epoll or
// io_uring, and keep this order, which loses no event of any kind:
//
//   while (engine->progress()) {}
//   engine->request_notification();
//   poll(event_fd) ...
//   engine->clear_notification();
//
// Threads: an engine, its contexts and their tasks belong to one thread at a time.
// Make one engine per thread rather than share one.
//
// Order: events of one connection come in the order they happened. Connections take
// turns: none can keep another waiting for more than a bounded number of messages.
//
// Lifetime: an engine outlives its contexts. Both are of the process that made them: in a child of
// fork() they are out of use (fork_mark.h).
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include "comch/result.h"
#include "comch/wake_word.h"

#pragma GCC visibility push(default)
namespace comch {

class Context;

class ProgressEngine {
 public:
  // operating_system: no descriptor or no memory was to be had.
  static Result<std::unique_ptr<ProgressEngine>> create();

  // in_use: contexts are still connected; `engine` is unchanged. Else it is reset.
  static Status destroy(std::unique_ptr<ProgressEngine>& engine);

  ProgressEngine(const ProgressEngine&) = delete;
  ProgressEngine& operator=(const ProgressEngine&) = delete;
  // Contexts that are still connected are cut off: no callback runs any more.
  virtual ~ProgressEngine() = default;

  // Ties a context to this engine until one of the two is destroyed.
  // not_permitted: it is connected already. bad_state: it is not idle.
  Status connect(Context& context);

  // True when something happened (a message, a completion, an event, a change of
  // state). Must not be called from a callback, where it answers false at once. Where messages of
  // tasks are exchanged one by one with a process whose cache is another one, it may look up to
  // 0.15 us behind the moment at which an answer is where the peer can see it, as Polling::kAlone.
  bool progress();

  // progress(), and when there is nothing to do spins for `spin` and then sleeps until
  // something happens or `timeout` has passed. True when something happened.
  bool wait(std::chrono::nanoseconds timeout,
            std::chrono::nanoseconds spin = std::chrono::microseconds(50));

  // Has `work` run at the end of the progress() that is under way: what a callback may not do
  // itself, such as destroying the context that called it.
  // bad_state: none is under way; do it now.
  Status after_progress(std::function<void()> work);

  // A descriptor that becomes readable when there is something to do, if
  // request_notification() was called. It belongs to the engine; do not read it.
  int event_fd() const;

  // Asks for one notification. If there is something to do already, event_fd() is
  // readable when this returns.
  Status request_notification();

  // The same for who can wait for words of memory, too, as io_uring's FUTEX_WAIT does: peers that
  // can change one wake him sooner. Answers how many of `words` there are, most likely a few: each
  // changes when there is something to do (4 bytes, not private), and so event_fd() may not become
  // readable any more. He sleeps until it is, or until one of them has another value.
  Result<std::size_t> request_notification(std::span<WakeWord> words);

  // Takes the request back. Call it after every wake-up, before progress().
  Status clear_notification();

  // A message that the application is to take, by Consumer::poll() or poll_views(), is something to
  // do until it has: progress() answers true for it, and a request is answered at once. Who leaves
  // some of them where they are, and is to sleep all the same, says heed_none(), and then heed() of
  // each consumer whose messages he takes; with others' it is as if none had come. Messages that
  // come by tasks, and all that befalls a consumer but messages, are heeded always. heed_all():
  // every message is heeded again, as at first. They count from the next call of progress(), wait()
  // or request_notification() on.
  void heed_none();
  void heed(Context& consumer);
  void heed_all();

  // Tasks submitted to the engine's contexts and not completed.
  std::size_t tasks_in_flight() const;

 protected:
  ProgressEngine() = default;
};

}  // namespace comch
#pragma GCC visibility pop
