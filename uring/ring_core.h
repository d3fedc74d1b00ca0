// Ring::Core: what a machine does not know: threads, the engine, waiting.
//
//   look() ---> machine, and the engine now and then
//   wait() ---> look(), as long as the spin lasts ---> ask the engine to tell, look, sleep ---> ...
//
// Of the messages that the application is to take, a wait heeds those alone that its look() takes.
//
// Threads: one, and it says so to others. Lifetime: the ring's. Errors: those of Ring's calls.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <utility>

#include "comch/fork_mark.h"
#include "comch/uring/ring.h"
#include "kernel_io.h"
#include "kernel_wait.h"
#include "machine.h"
#include "spin.h"

namespace comch::uring {

// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): declared in the order of their lives.
class Ring::Core {
  using Time = std::chrono::nanoseconds;

 public:
  // Producers keep the handler after the ring is gone.
  struct Returns {
    Core* core;
  };

  Core(Ring& ring, ProgressEngine& engine, std::unique_ptr<KernelWait> wait, const Options& options)
      : io({.transfers = 2 * options.transfers,
            .without_ring = options.without_kernel_ring,
            .without_registration = options.without_registration}),
        machine(ring.queues_, ring.multishots_, io, options.transfers),
        kernel(std::move(wait)),
        spin(options.spin),
        returns(std::make_shared<Returns>(this)),
        queues_(ring.queues_),
        engine_(engine) {}
  ~Core() {
    returns->core = nullptr;
    if (!mark_.is_forked()) return;
    kernel->forget();
    machine.forget();
  }
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  bool is_callers() const { return this_thread() == thread_ && !mark_.is_forked(); }
  std::unexpected<Error> refusal() const {
    if (this_thread() != thread_) {
      return fail(Errc::not_permitted, "a ring is used by the thread that made it");
    }
    return fail(Errc::not_permitted, "the ring is the process's that forked this one");
  }

  // Whatever is prepared, and not one send alone, for which machine.submit_one() is faster.
  [[gnu::noinline]] Result<std::uint32_t> submit() {
    if (!is_callers()) return refusal();
    return submit_kernel(machine.submit());
  }
  // What is prepared in the kernel's ring goes with the `count` that have begun here.
  [[gnu::noinline]] Result<std::uint32_t> submit_kernel(std::uint32_t count) {
    if (Status s = kernel->submit(); !s) return std::unexpected(s.error());
    return count;
  }

  [[gnu::always_inline]] bool look() {
    if (queues_.ready() == 0) [[likely]]
      queues_.rewind();
    // Messages need no engine; what else happens does. It is not urgent to a few microseconds.
    if (machine.control().is_waiting() || ++looks_ % kLooksPerProgress == 0) [[unlikely]]
      progress();
    machine.look();
    return queues_.ready() != 0;
  }

  Result<std::uint32_t> wait(std::uint32_t count, Time timeout) {
    if (in_callback) return fail(Errc::bad_state, "a callback of the engine must not wait");
    const std::uint64_t began_ns = CoreKinds::now_ns();
    const Time budget = spin.budget();
    Heeding heeding(*this);
    for (;;) {
      look();
      const bool others = kernel->has_completions();
      if (others || queues_.ready() >= count) return waited(began_ns, count);
      const Time passed = since(began_ns);
      if (passed >= timeout) return timed_out();
      if (passed < budget) continue;
      heeding.renew();
      if (progress()) continue;
      heeding.renew();
      if (Status s = sleep(timeout == Time::max() ? timeout : timeout - passed); !s) {
        return std::unexpected(s.error());
      }
    }
  }

  // Once it is renewed, and as long as it lives, messages that the ring does not take keep no wait
  // awake. It is renewed whenever a callback may have changed which those are.
  class Heeding {
   public:
    explicit Heeding(Core& core) : core_(core) {}
    ~Heeding() {
      if (is_ours_) core_.engine_.heed_all();
    }
    Heeding(const Heeding&) = delete;
    Heeding& operator=(const Heeding&) = delete;
    void renew() {
      is_ours_ = true;
      core_.engine_.heed_none();
      core_.machine.receiving().each_taken([this](Consumer& c) { core_.engine_.heed(c); });
    }

   private:
    Core& core_;
    bool is_ours_ = false;
  };

  KernelIo io;
  Machine<CoreKinds> machine;
  std::unique_ptr<KernelWait> kernel;
  Spin spin;
  std::shared_ptr<Returns> returns;
  bool in_callback = false;  // Of the engine's.

 private:
  static constexpr std::uint32_t kLooksPerProgress = 256;

  // What tells threads apart that live at the same time, without a call.
  static const void* this_thread() { return __builtin_thread_pointer(); }

  // The engine's callbacks may submit, and finish control operations. Apart, so that a look finds
  // few registers to save.
  [[gnu::noinline]] bool progress() {
    // A callback that peeks comes here, too, and is one still.
    const bool nested = std::exchange(in_callback, true);
    const bool did = engine_.progress();
    in_callback = nested;
    // Consumers end in there, or have ended when the application stopped them.
    const bool ended = machine.receiving().look_for_ends();
    machine.begin_due();
    return did || ended;
  }

  static Time since(std::uint64_t then_ns) {
    return Time(static_cast<Time::rep>(CoreKinds::now_ns() - then_ns));
  }
  std::uint32_t waited(std::uint64_t began_ns, std::uint32_t count) {
    if (count != 0) spin.learn(since(began_ns));
    return queues_.ready();
  }
  Result<std::uint32_t> timed_out() {
    if (queues_.ready() != 0 || kernel->has_late_completions()) return queues_.ready();
    return fail(Errc::time_out, "nothing has completed in time");
  }

  // The order that loses nothing: ask the engine to tell, look once more, sleep.
  Status sleep(Time most) {
    machine.arm();
    std::array<WakeWord, KernelWait::kMaxWords> words;
    const auto requested =
        engine_.request_notification(std::span(words).first(kernel->most_words(transfers())));
    if (!requested) return std::unexpected(requested.error());
    Status slept;
    // What has just begun may keep it from waiting for words: the next sleep asks for none.
    if (!machine.look() && *requested <= kernel->most_words(transfers())) {
      // Of a ring that is lost nothing can be waited for, only looked at.
      if (io.is_lost()) most = std::min<Time>(most, std::chrono::milliseconds(1));
      slept = kernel->sleep(until_due(most), transfers(), std::span(words).first(*requested));
    }
    if (Status s = engine_.clear_notification(); !s) return s;
    // The look that finds what woke us is answered, and the next one lets the engine tell peers
    // that nobody sleeps here any more.
    looks_ = kLooksPerProgress - 2;
    return slept;
  }
  KernelWait::Transfers transfers() {
    return {.ring_fd = io.ring_fd(), .descriptors = io.descriptors()};
  }
  std::optional<Time> until_due(Time most) const {
    const std::optional<std::uint64_t> due = machine.next_due_ns();
    if (due) {
      const std::uint64_t now = CoreKinds::now_ns();
      const std::uint64_t left = *due > now ? *due - now : 0;
      if (left < static_cast<std::uint64_t>(most.count())) {
        return Time(static_cast<Time::rep>(left));
      }
    }
    if (most == Time::max()) return std::nullopt;
    return most;
  }

  Queues& queues_;
  ProgressEngine& engine_;
  const ForkMark mark_;
  const void* const thread_ = this_thread();
  std::uint32_t looks_ = 0;
};

// Memory that is not there is an error as any other.
template <class Make>
auto unless_no_memory(Make&& make) -> decltype(make()) {
  try {
    return make();
  } catch (const std::bad_alloc&) {
    return fail(Errc::no_memory, "there is no memory for the ring");
  }
}

}  // namespace comch::uring
