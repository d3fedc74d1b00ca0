// Attempt: one call that may be held, made in a process of its own.
//
//   Attempt reader([&] { return File(conn / "recv").read(); });
//   ASSERT_TRUE(reader.is_held(SYS_read));
//   EXPECT_EQ(send(peer, "hello"), 0);
//   EXPECT_EQ(reader.result(), got("hello"));
//
// A process can be looked at from outside (it sleeps, it does not hang in the kernel) and
// killed, and a call that never returns is no more than a result that never comes.
//
// Threads: forks; make it before the test starts threads.
// Lifetime: the process ends with the Attempt.
#pragma once

#include <sys/syscall.h>

#include <functional>
#include <optional>

#include "file.h"
#include "support/child_process.h"

namespace comch::test {

// Whether the process sleeps in that system call before the deadline, where a signal reaches it.
bool sleeps_in(pid_t pid, long system_call, const Deadline& deadline = Deadline());

class Attempt {
 public:
  explicit Attempt(const std::function<Got()>& call) : Attempt(pipe(), call) {}

  // sleeps_in(), of its process.
  bool is_held(long system_call, const Deadline& deadline = Deadline()) const {
    return sleeps_in(pid(), system_call, deadline);
  }

  // What the call said; failed(ETIMEDOUT) when it has not returned at the deadline, and
  // failed(ESRCH) when its process ended without a word.
  Got result(const Deadline& deadline = Deadline()) const;

  void kill(int signal) const { process_.kill(signal); }
  pid_t pid() const { return process_.pid(); }
  std::optional<Exit> wait(const Deadline& deadline = Deadline()) {
    return process_.wait(deadline);
  }

 private:
  struct Pipe {
    File out, in;
  };
  static Pipe pipe();
  Attempt(Pipe pipe, const std::function<Got()>& call);

  File answer_;
  ChildProcess process_;
};

// The letter of a process in /proc/PID/stat: 'S' sleeps, 'D' cannot be interrupted, 'T' is
// stopped; 0 when there is no such process.
char state_of(pid_t pid);

// Lets a signal interrupt system calls of this process, and does nothing else.
void interrupt_on(int signal);

}  // namespace comch::test
