// The daemon's only loop; see loop.h.
#include "loop.h"

#include <poll.h>

#include <array>
#include <cerrno>
#include <chrono>

namespace comch::fuse {
namespace {

using Clock = std::chrono::steady_clock;

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

Loop::End Loop::run() {
  std::array<pollfd, 5> waits{
      pollfd{.fd = fuse_fd_, .events = POLLIN, .revents = 0},
      pollfd{.fd = services_.engine.engine().event_fd(), .events = POLLIN, .revents = 0},
      pollfd{.fd = signals_, .events = POLLIN, .revents = 0},
      pollfd{.fd = services_.announcer.done_fd(), .events = POLLIN, .revents = 0},
      pollfd{.fd = services_.bell->fd(), .events = POLLIN, .revents = 0}};
  const auto& [fuse, engine, signals, announcer, bell] = waits;
  while (true) {
    work();
    int timeout_ms = 0;
    if (services_.engine.is_settled()) {
      services_.engine.arm();
      timeout_ms = services_.watch.is_due() ? 0 : services_.announcer.timeout_ms();
    }
    const int ready = poll(waits.data(), waits.size(), timeout_ms);
    if (ready < 0 && errno != EINTR) return End::kSignalled;
    if (ready < 0) continue;
    if (ready > 0) services_.watch.look_again();
    if (signals.revents != 0) return End::kSignalled;
    if (engine.revents != 0) services_.engine.notified();
    if (bell.revents != 0) {
      services_.bell->silence();
      services_.engine.touch();  // So that the tree looks what it was about.
    }
    if (announcer.revents != 0 || !services_.announcer.idle()) services_.announcer.collect();
    if (fuse.revents != 0 && session_.serve_one() == Session::Served::kUnmounted) {
      return End::kUnmounted;
    }
  }
}

void Loop::wind_up() {
  tree_.shut_down();
  session_.drop_files();
  const auto deadline = Clock::now() + std::chrono::seconds(1);
  while (Clock::now() < deadline) {
    services_.graveyard.check();
    if (services_.graveyard.empty()) return;
    services_.engine.engine().wait(std::chrono::milliseconds(20));
  }
}

}  // namespace comch::fuse
