// ChildProcess: another process of a test: the peer, the one that is killed.
//
//   Gate connected;
//   ChildProcess peer = ChildProcess::run([&] { serve(connected); return 0; });
//   ASSERT_TRUE(connected.wait());
//   peer.kill(SIGKILL);
//   EXPECT_EQ(peer.wait(), Exit::by_signal(SIGKILL));
//
// Threads: run() forks, so call it before the test starts threads.
// Lifetime: a child does not outlive its ChildProcess (it is killed and reaped), nor the
// test program (PDEATHSIG).
// Errors: std::system_error where the process cannot be made.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "support/deadline.h"

namespace comch::test {

// How a process ended. Prints as "exit 0" or "signal 9".
struct Exit {
  int code = 0;
  int signal = 0;

  static Exit with(int code) { return {.code = code, .signal = 0}; }
  static Exit by_signal(int signal) { return {.code = 0, .signal = signal}; }
  friend bool operator==(const Exit&, const Exit&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Exit& exit);
};

class ChildProcess {
 public:
  // A child in which an EXPECT failed ends with this, whatever its body returned; one
  // whose body threw ends with the other.
  static constexpr int kExpectationFailed = 99;
  static constexpr int kThrew = 98;

  // Forks; the child runs `body`, ends with its value and never returns from here.
  static ChildProcess run(const std::function<int()>& body);

  // Starts a program found by path or in PATH. It can be interrupted and hung up. Its output goes
  // to `output`, a file, when named, else where the test's goes.
  static ChildProcess exec(const std::vector<std::string>& argv, const std::string& output = {});

  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess other) noexcept;  // What was there ends as by ~.
  ~ChildProcess();

  pid_t pid() const { return pid_; }
  void kill(int signal) const;

  // How it ended, or nothing when it still runs at the deadline. Ask as often as you like.
  std::optional<Exit> wait(const Deadline& deadline = Deadline());

 private:
  explicit ChildProcess(pid_t pid);

  pid_t pid_ = -1;
  int pidfd_ = -1;
  std::optional<Exit> exit_;
};

// What a program said and how it ended; nothing when it had to be killed at the deadline.
struct ProgramResult {
  Exit exit;
  std::string output;  // stdout and stderr as they came.
};
std::optional<ProgramResult> run_program(const std::vector<std::string>& argv,
                                         const Deadline& deadline = Deadline());

// Gate: one process tells another that it has got somewhere. Counts: each open() lets one
// wait() through, in whichever process.
class Gate {
 public:
  Gate();
  ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  void open() const;
  [[nodiscard]] bool wait(const Deadline& deadline = Deadline()) const;

 private:
  int fd_;
};

}  // namespace comch::test
