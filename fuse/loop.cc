// The daemon's only loop; see loop.h.
#include "loop.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <tuple>

namespace comch::fuse {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kPatience{1};
// For requests that are there already: many, and no more than a busy reader can make it last.
constexpr std::chrono::milliseconds kLastTurn{100};

// Of two times that poll(2) is given.
int shorter(int one_ms, int other_ms) {
  if (one_ms < 0 || other_ms < 0) return std::max(one_ms, other_ms);
  return std::min(one_ms, other_ms);
}

}  // namespace

bool Loop::initialise() {
  constexpr int kPatience_ms = 10'000;
  while (!session_.is_initialised()) {
    pollfd fuse{.fd = fuse_fd_, .events = POLLIN, .revents = 0};
    if (poll(&fuse, 1, kPatience_ms) == 0) return false;
    if (session_.serve_one() == Session::Served::kUnmounted) return false;
  }
  return true;
}

// Everything that a request, or the engine, may have made possible.
void Loop::work() {
  if (services_.engine.run()) {
    tree_.check();
    services_.watch.look_again();
  }
  if (!services_.operations.empty()) services_.operations.check();
  if (!services_.graveyard.empty()) services_.graveyard.check();
  services_.watch.check();
}

Loop::Waits Loop::waits() const {
  Waits waits{};
  waits[kFuse].fd = fuse_fd_;
  waits[kEngine].fd = services_.engine.engine().event_fd();
  waits[kSignals].fd = signals_;
  waits[kAnnouncer].fd = services_.announcer.done_fd();
  waits[kBell].fd = services_.bell->fd();
  for (pollfd& wait : waits) wait.events = POLLIN;
  return waits;
}

Loop::End Loop::run() {
  Waits waits = this->waits();
  while (true) {
    if (const std::optional<End> end = turn(waits)) return *end;
  }
}

std::optional<Loop::End> Loop::turn(Waits& waits) {
  work();
  int timeout_ms = 0;
  if (services_.engine.is_settled()) {
    services_.engine.arm();
    timeout_ms = shorter(services_.watch.timeout_ms(), services_.announcer.timeout_ms());
  }
  const int ready = poll(waits.data(), waits.size(), timeout_ms);
  if (ready < 0 && errno != EINTR) return End::kSignalled;
  if (ready < 0) return {};
  if (ready > 0) services_.watch.look_again();
  if (waits[kSignals].revents != 0) return End::kSignalled;
  if (waits[kEngine].revents != 0) services_.engine.notified();
  if (waits[kBell].revents != 0) {
    services_.bell->silence();
    services_.engine.touch();  // So that the tree looks what it was about.
  }
  if (waits[kAnnouncer].revents != 0 || !services_.announcer.idle()) services_.announcer.collect();
  if (waits[kFuse].revents != 0 && session_.serve_one() == Session::Served::kUnmounted) {
    return End::kUnmounted;
  }
  return {};
}

// Its thread may wait for an answer of ours, and writes to the descriptor that an unmount closes.
void Loop::let_announcer_end() {
  services_.announcer.quit();
  Waits waits = this->waits();
  waits[kSignals].fd = -1;  // One has come.
  const auto deadline = Clock::now() + kPatience;
  while (!services_.announcer.has_ended() && Clock::now() < deadline) std::ignore = turn(waits);
}

// Who has asked, and was not heard yet, is told what all are told that wait.
void Loop::serve_waiting() {
  pollfd fuse{.fd = fuse_fd_, .events = POLLIN, .revents = 0};
  const auto deadline = Clock::now() + kLastTurn;
  while (poll(&fuse, 1, 0) > 0 && Clock::now() < deadline) {
    if (session_.serve_one() == Session::Served::kUnmounted) return;
    work();
  }
}

void Loop::wind_up() {
  let_announcer_end();
  serve_waiting();
  tree_.shut_down();
  session_.drop_files();
  const auto deadline = Clock::now() + kPatience;
  while (Clock::now() < deadline) {
    services_.graveyard.check();
    if (services_.graveyard.empty()) return;
    services_.engine.engine().wait(std::chrono::milliseconds(20));
  }
}

}  // namespace comch::fuse
