// Roudi: iceoryx's daemon, in a process of its own, with memory for the messages of a run.
//
// There is one per machine, because iceoryx gives it fixed names.
//
// Threads: forks. Lifetime: ends, and takes its shared memory away, with the object or with
// the process that made it. Errors: Unavailable where another one runs.
#pragma once

#include "support/child_process.h"

namespace comch::bench {

class Roudi {
 public:
  Roudi();
  ~Roudi();
  Roudi(const Roudi&) = delete;
  Roudi& operator=(const Roudi&) = delete;

 private:
  test::Gate ready_;
  test::ChildProcess daemon_;
};

}  // namespace comch::bench
