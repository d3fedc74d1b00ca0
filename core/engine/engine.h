// Engine: what stands behind a ProgressEngine: it decides in which order the work of one
// progress() is done, and how the engine sleeps.
//
//   progress()
//     1. contexts with work          completions, ends of connections, reaching idle
//     2. sources                     connections with something in memory (SourceList)
//     3. the kernel, now and then:   KernelWatch tells whose descriptor is readable,
//                                    Alarms whose moment has come; then 1 and 2 again
//
// Busy polling must not pay for a system call per call, so the kernel is asked about
// every kLookEvery, and less and less often while it has no news; a program that calls progress()
// less often than that asks every time.
//
// Threads: one thread at a time. Lifetime: outlives its contexts; those that are left
// when it is destroyed are cut loose.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/homebound.h"
#include "base/intrusive_list.h"
#include "comch/progress_engine.h"
#include "engine/alarms.h"
#include "engine/context_core.h"
#include "engine/kernel_watch.h"
#include "engine/source_list.h"
#include "os/event.h"
#include "os/timer.h"
#include "transport/reactor.h"

namespace comch::engine {

class Engine final : public ProgressEngine, public transport::Reactor, public Homebound<Engine> {
 public:
  static Result<std::unique_ptr<Engine>> create();
  Engine(KernelWatch kernel, os::Event wake, os::Timer timer);
  ~Engine() override;

  static Engine& of(ProgressEngine& face) { return static_cast<Engine&>(face); }
  static const Engine& of(const ProgressEngine& face) { return static_cast<const Engine&>(face); }

  // The public calls.
  Status connect(ContextCore& context);
  void disconnect(ContextCore& context);
  bool has_contexts() const { return !contexts_.empty(); }
  bool progress();
  bool wait(std::chrono::nanoseconds timeout, std::chrono::nanoseconds spin);
  Status after_progress(std::function<void()> work);
  int event_fd() const { return kernel_.fd(); }
  Status request_notification();
  Result<std::size_t> request(std::span<WakeWord> words);
  Status clear_notification();
  void heed_none() { sources_.heed_none(); }
  void heed(ContextCore& context);
  void heed_all() { sources_.heed_all(); }
  std::size_t tasks_in_flight() const;

  // For contexts and their connections.
  void enqueue(ContextCore& context);
  // Called while progress() asks the kernel: what is left to do is for the next call, so that
  // the program sees what has just become of a context before anything comes of it.
  void leave_off() { left_off_ = true; }
  void make_hot(Source& source);
  void remove(Source& source) { sources_.remove(source); }
  bool heeds(const Source& source) const { return sources_.heeds(source); }
  static Attention attention(const Source& source) { return SourceList::attention(source); }

  // For carriers.
  Status watch(int fd, transport::Readiness& who) override { return kernel_.watch(fd, who); }
  void unwatch(int fd) override { kernel_.unwatch(fd); }
  void set_alarm(transport::Alarm& alarm, std::uint64_t due_ns) override;
  void clear_alarm(transport::Alarm& alarm) override { alarms_.clear(alarm); }
  std::uint64_t now_ns() const override;

 private:
  // About a hundredth of the time of a loop goes into asking a kernel that has news, and a
  // five-hundredth into asking one that has none; picked: a look costs 0.2-0.3 us, and on some
  // virtual machines 1.1.
  static constexpr std::uint64_t kLookEvery_ns = 20'000;
  static constexpr std::uint64_t kLookSeldom_ns = 100'000;
  // So few that a busy loop which becomes slow is noticed soon, and so many that reading
  // the clock does not show.
  static constexpr std::uint32_t kMaxCallsBetweenLooks = 64;
  // Quiet sources fall asleep after one to two of these.
  static constexpr std::uint64_t kSettleEvery_ns = 1'000'000;
  // After so many without a request for notification, a millisecond mostly, the engine counts as
  // polling.
  static constexpr std::uint32_t kLooksUntilRelaxed = 13;

  // What a message passes is one function, and what is seldom called stays out of it: it would
  // have its registers saved, and its frame guarded, for every message.
  [[gnu::always_inline]] inline bool work();
  [[gnu::always_inline]] inline bool work_in_memory();
  [[gnu::always_inline]] inline bool poll_sources();
  void await_answer();
  [[gnu::noinline]] bool work_after_sleep();
  [[gnu::noinline]] bool look_again();
  [[gnu::noinline]] bool look_if_due();
  bool look(std::uint64_t now);
  bool work_on_contexts();
  bool spin_until(std::uint64_t end_ns);
  [[gnu::noinline]] void run_after_progress();
  [[gnu::noinline]] bool refuse_progress() const;
  [[gnu::noinline]] void take_back_request();
  [[gnu::noinline]] void disarm();

  // Rung by ourselves, when there is something to do already while somebody sleeps.
  struct SelfWake final : transport::Readiness {
    explicit SelfWake(os::Event e) : event(std::move(e)) {}
    void on_readable() override { event.drain(); }
    os::Event event;
  };
  // Goes off when the next alarm is due while somebody sleeps on event_fd().
  struct AlarmClock final : transport::Readiness {
    explicit AlarmClock(os::Timer t) : timer(std::move(t)) {}
    void on_readable() override {
      timer.drain();
      set_to_ns = transport::Alarm::kNotSet;  // It goes off once.
    }
    void set(std::uint64_t due_ns) {
      if (due_ns == set_to_ns) return;
      set_to_ns = due_ns;
      timer.set(due_ns);
    }
    os::Timer timer;
    std::uint64_t set_to_ns = transport::Alarm::kNotSet;
  };

  KernelWatch kernel_;
  SelfWake self_wake_;
  AlarmClock clock_;
  Alarms alarms_;
  SourceList sources_;
  std::vector<ContextCore*> contexts_;
  IntrusiveList<ContextCore> busy_;  // Contexts that asked for work().
  std::uint64_t last_look_ns_ = 0;
  std::uint64_t look_every_ns_ = kLookEvery_ns;
  std::uint64_t last_settle_ns_ = 0;
  std::uint32_t calls_left_ = 1;
  std::uint32_t calls_between_looks_ = 1;
  std::uint32_t looks_since_request_ = 0;
  std::vector<std::function<void()>> after_progress_;
  bool in_progress_ = false;
  bool requested_ = false;
  bool left_off_ = false;
  bool woken_ = false;        // The caller may have slept since the last progress().
  bool still_armed_ = false;  // Sources are, of a request that was taken back.
};

}  // namespace comch::engine
