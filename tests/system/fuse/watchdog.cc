// Watchdog: an alarm, and the daemons its handler kills.
#include "watchdog.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "support/deadline.h"

namespace comch::test {
namespace {

// Four daemons are more than any test starts. Read by the handler, hence plain and static.
std::array<volatile pid_t, 4> guarded;
volatile std::sig_atomic_t guarded_count = 0;
volatile std::sig_atomic_t time_is_over = 0;

void bite(int) {
  time_is_over = 1;
  for (std::size_t i = 0; i < static_cast<std::size_t>(guarded_count); ++i)
    ::kill(guarded[i], SIGKILL);
}

}  // namespace

Watchdog::Watchdog() {
  guarded_count = 0;
  time_is_over = 0;
  struct sigaction action = {};
  action.sa_handler = bite;
  ::sigaction(SIGALRM, &action, nullptr);
  // Twice as long as one honest wait: its own deadline, which says more, comes first.
  ::alarm(static_cast<unsigned>(2 * patience().count() / 1000));
}

Watchdog::~Watchdog() {
  ::alarm(0);
  ::signal(SIGALRM, SIG_DFL);
  if (time_is_over != 0) ADD_FAILURE() << "the test hung in the tree; its daemon was killed";
}

void Watchdog::allow(std::chrono::seconds time) { ::alarm(static_cast<unsigned>(time.count())); }

void Watchdog::guard(pid_t daemon) {
  const auto next = static_cast<std::size_t>(guarded_count);
  if (next == guarded.size()) return;
  guarded[next] = daemon;
  guarded_count = static_cast<std::sig_atomic_t>(next + 1);
}

}  // namespace comch::test
