// Loop: poll() over the engine's descriptor, the signals and one input.
#include "tool/loop.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <tuple>
#include <utility>

namespace comch::tool {
namespace {

// Rounds of progress between two looks at input and signals: enough to keep a stream of
// messages flowing, few enough for Ctrl-C to feel immediate. Picked, not tuned.
constexpr int kRoundsPerLook = 64;

int woken_fd = -1;  // What the handler writes to: the one Loop's eventfd.

// A write to a reader that does not read, and whatever else waits, ends with EINTR; the next signal
// is not for us to handle.
void take_signal(int) {
  const int before = errno;
  for (const int signal : kEndingSignals) {
    struct sigaction now{};
    ::sigaction(signal, nullptr, &now);
    if (now.sa_handler == take_signal) std::ignore = std::signal(signal, SIG_DFL);
  }
  const std::uint64_t one = 1;
  std::ignore = ::write(woken_fd, &one, sizeof one);
  errno = before;
}

// A signal that is ignored, as nohup(1) has it, stays so.
void handle_signals(int woken) {
  woken_fd = woken;
  struct sigaction handled{};
  handled.sa_handler = take_signal;
  for (const int signal : kEndingSignals) {
    struct sigaction before{};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) ::sigaction(signal, &handled, nullptr);
  }
}

// poll's time-out for what is left until `deadline`, rounded up so that the last look
// comes after it.
int milliseconds_left(Loop::Deadline deadline) {
  if (!deadline) return -1;
  auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Loop::Clock::now());
  constexpr std::int64_t kHour = 3'600'000;  // A long wait may well wake once an hour.
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, kHour));
}

}  // namespace

Loop::Deadline Loop::deadline_in(std::chrono::duration<double> time) {
  // Longer than anybody waits, and safe from overflow in the clock's nanoseconds.
  constexpr std::chrono::hours kForever{24 * 365};
  if (time >= kForever) return std::nullopt;
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(time);
}

Outcome<Loop> Loop::create() {
  auto engine = ProgressEngine::create();
  if (!engine) return complain("cannot make a progress engine", engine.error());
  // A background job that reads its terminal is stopped by SIGTTIN; ignored, read()
  // answers EIO instead and the job goes on without input.
  std::ignore = std::signal(SIGTTIN, SIG_IGN);
  Descriptor signalled(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!signalled) {
    return complain("cannot watch for signals",
                    Error{.code = Errc::operating_system, .sys = errno});
  }
  handle_signals(signalled.get());
  return Loop(std::move(*engine), std::move(signalled));
}

Loop::Loop(std::unique_ptr<ProgressEngine> engine, Descriptor signalled)
    : engine_(std::move(engine)), signalled_(std::move(signalled)) {}

void Loop::watch(int fd, std::function<bool()> wanted, std::function<void()> ready) {
  watched_ = fd;
  // From inside ready() the functions must stay; run_until never calls them again.
  if (fd < 0) return;
  wanted_ = std::move(wanted);
  ready_ = std::move(ready);
}

Wake Loop::run_until(const std::function<bool()>& done, Deadline deadline) {
  interrupted_ = false;
  for (;;) {
    bool busy = true;
    for (int round = 0; busy && round < kRoundsPerLook; ++round) busy = engine_->progress();
    if (done()) return Wake::kDone;
    if (interrupted_) return Wake::kInterrupted;
    if (deadline && Clock::now() >= *deadline) return Wake::kTimeout;
    look(busy, deadline);
  }
}

bool Loop::take_leave(const std::function<bool()>& idle) {
  const Deadline deadline = deadline_in(kLeaveTakes);
  Wake why = run_until(idle, deadline);
  // The signal that ended a write was not looked at before; a second one ends the process.
  if (why == Wake::kInterrupted) why = run_until(idle, deadline);
  return why == Wake::kDone;
}

void Loop::look(bool busy, Deadline deadline) {
  if (!busy) std::ignore = engine_->request_notification();
  const bool input = watched_ >= 0 && wanted_();
  std::array<pollfd, 3> fds{{
      {.fd = engine_->event_fd(), .events = POLLIN, .revents = 0},
      {.fd = signalled_.get(), .events = POLLIN, .revents = 0},
      {.fd = input ? watched_ : -1, .events = POLLIN, .revents = 0},
  }};
  ::poll(fds.data(), fds.size(), busy ? 0 : milliseconds_left(deadline));
  if (!busy) std::ignore = engine_->clear_notification();
  if (fds[1].revents != 0) {
    interrupted_ = true;
    std::uint64_t taken = 0;
    std::ignore = ::read(signalled_.get(), &taken, sizeof taken);
  }
  if (fds[2].revents != 0) ready_();
}

}  // namespace comch::tool
