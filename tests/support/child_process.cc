// ChildProcess and Gate; a pidfd is waited on, so that no wait is by polling a pid.
#include "support/child_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>
#include <system_error>
#include <utility>

#include "support/temp_dir.h"

namespace comch::test {
namespace {

[[noreturn]] void give_up(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

bool readable(int fd, const Deadline& deadline) {
  pollfd entry{.fd = fd, .events = POLLIN, .revents = 0};
  for (;;) {
    const int ready = ::poll(&entry, 1, deadline.left_ms());
    if (ready >= 0 || errno != EINTR) return ready == 1;
  }
}

// In the child: ends with the test program, also when that is killed between the fork
// and this call.
void die_with(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(ChildProcess::kThrew);
}

int guarded(const std::function<int()>& body) {
  try {
    const int code = body();
    return testing::Test::HasFailure() ? ChildProcess::kExpectationFailed : code;
  } catch (const std::exception& error) {
    std::cerr << "child process: " << error.what() << std::endl;
    return ChildProcess::kThrew;
  }
}

// In the child: programs begin with the signals that end them, whatever a shell's `&` or nohup have
// had ignored for the tests.
void heed_interrupts() {
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT}) std::signal(signal, SIG_DFL);
}

// In the child: becomes the program, or ends as a shell would: 126 cannot, 127 not found.
[[noreturn]] void become(const std::vector<std::string>& argv, const std::string& output) {
  std::vector<char*> words;
  words.reserve(argv.size() + 1);
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (null < 0 || ::dup2(null, STDIN_FILENO) < 0) ::_exit(126);
  if (!output.empty()) {
    const int file = ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0 || ::dup2(file, STDOUT_FILENO) < 0) ::_exit(126);
    ::dup2(file, STDERR_FILENO);
  }
  heed_interrupts();
  ::execvp(words[0], words.data());
  ::_exit(127);
}

pid_t fork_or_give_up() {
  std::cout.flush();  // Else what is buffered would be said twice.
  std::fflush(nullptr);
  const pid_t pid = ::fork();
  if (pid < 0) give_up("fork");
  return pid;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Exit& exit) {
  return exit.signal != 0 ? out << "signal " << exit.signal : out << "exit " << exit.code;
}

ChildProcess ChildProcess::run(const std::function<int()>& body) {
  const pid_t parent = ::getpid();
  const pid_t pid = fork_or_give_up();
  if (pid == 0) {
    die_with(parent);
    const int code = guarded(body);
    std::cout.flush();
    std::fflush(nullptr);
    ::_exit(code);
  }
  return ChildProcess(pid);
}

ChildProcess ChildProcess::exec(const std::vector<std::string>& argv, const std::string& output) {
  const pid_t parent = ::getpid();
  const pid_t pid = fork_or_give_up();
  if (pid == 0) {
    die_with(parent);
    become(argv, output);
  }
  return ChildProcess(pid);
}

ChildProcess::ChildProcess(pid_t pid)
    : pid_(pid), pidfd_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) {
  if (pidfd_ >= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  give_up("pidfd_open");
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      pidfd_(std::exchange(other.pidfd_, -1)),
      exit_(std::exchange(other.exit_, std::nullopt)) {}

ChildProcess& ChildProcess::operator=(ChildProcess other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(pidfd_, other.pidfd_);
  std::swap(exit_, other.exit_);
  return *this;
}

ChildProcess::~ChildProcess() {
  if (pidfd_ < 0) return;
  if (!exit_) {
    kill(SIGKILL);
    wait();
  }
  ::close(pidfd_);
}

void ChildProcess::kill(int signal) const {
  if (!exit_) ::syscall(SYS_pidfd_send_signal, pidfd_, signal, nullptr, 0);
}

std::optional<Exit> ChildProcess::wait(const Deadline& deadline) {
  if (exit_ || !readable(pidfd_, deadline)) return exit_;
  int status = 0;
  if (::waitpid(pid_, &status, 0) != pid_) return exit_;
  exit_ = WIFSIGNALED(status) ? Exit::by_signal(WTERMSIG(status)) : Exit::with(WEXITSTATUS(status));
  return exit_;
}

std::optional<ProgramResult> run_program(const std::vector<std::string>& argv,
                                         const Deadline& deadline) {
  const TempDir dir;
  const std::string file = dir / "output";
  const auto exit = ChildProcess::exec(argv, file).wait(deadline);
  if (!exit) return std::nullopt;
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return ProgramResult{.exit = *exit, .output = text.str()};
}

Gate::Gate() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE | EFD_NONBLOCK)) {
  if (fd_ < 0) give_up("eventfd");
}

Gate::~Gate() { ::close(fd_); }

void Gate::open() const {
  if (::eventfd_write(fd_, 1) != 0) give_up("eventfd_write");
}

bool Gate::wait(const Deadline& deadline) const {
  // Another waiter may take the count between the poll and the read: ask again.
  while (readable(fd_, deadline)) {
    eventfd_t count = 0;
    if (::eventfd_read(fd_, &count) == 0) return true;
  }
  return false;
}

}  // namespace comch::test
