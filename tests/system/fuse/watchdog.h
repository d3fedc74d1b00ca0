// Watchdog: ends a test that hangs in the tree.
//
// A call on a mount whose daemon does not answer may never return. When the time is over
// the guarded daemons are killed: every call in their trees then fails, and so does the
// test, which goes on to say where it stood.
//
// Threads: one at a time per process; its alarm interrupts system calls of that process.
#pragma once

#include <sys/types.h>

#include <chrono>

namespace comch::test {

class Watchdog {
 public:
  Watchdog();
  ~Watchdog();  // A failure of the test when the time was over.
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  static void guard(pid_t daemon);

  // For a test that honestly takes longer: the time begins anew.
  static void allow(std::chrono::seconds time);
};

}  // namespace comch::test
