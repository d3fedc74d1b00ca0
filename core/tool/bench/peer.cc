// Peer: forks, runs the body in the child, and reaps it.
#include "tool/bench/peer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <tuple>
#include <utility>

#include "tool/descriptor.h"

namespace comch::tool {
namespace {

// Longer than a fork and the start of a server take on any machine worth measuring.
constexpr int kPatienceMs = 10'000;

// The child's life. `ready` gets one byte when the server can be connected to.
int child(const Peer::Body& body, const std::string& name, pid_t parent, Descriptor ready) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) return 1;  // It died before the line above.
  const Outcome<> outcome = body(name, [&] {
    std::ignore = ::write(ready.get(), "r", 1);
    ready.reset();
  });
  if (outcome) return 0;
  fmt::print(stderr, "comch: {}\n", outcome.error().text);
  return 1;
}

bool readable_in_time(int fd) {
  pollfd wait{.fd = fd, .events = POLLIN, .revents = 0};
  int ready = 0;
  do {
    ready = ::poll(&wait, 1, kPatienceMs);
  } while (ready < 0 && errno == EINTR);
  return ready == 1;
}

}  // namespace

Outcome<Peer> Peer::start(const Body& body) {
  static unsigned made = 0;
  std::string name = fmt::format("comch-bench-{}-{}", ::getpid(), made++);
  std::array<int, 2> ends;
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return complain("cannot make a pipe", Error{.code = Errc::operating_system, .sys = errno});
  }
  Descriptor read_end(ends[0]);
  Descriptor write_end(ends[1]);
  std::ignore =
      std::fflush(nullptr);  // Or the child would print what waits in our buffers once more.
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) {
    return complain("cannot make a process", Error{.code = Errc::operating_system, .sys = errno});
  }
  if (pid == 0) {
    read_end.reset();
    const int code = child(body, name, parent, std::move(write_end));
    std::ignore = std::fflush(nullptr);
    ::_exit(code);
  }
  write_end.reset();
  Peer peer(pid, std::move(name));
  char byte = 0;
  if (readable_in_time(read_end.get()) && ::read(read_end.get(), &byte, 1) == 1) return peer;
  return complain("the other end of the benchmark did not start");
}

Peer::Peer(Peer&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), name_(std::move(other.name_)) {}

Peer::~Peer() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

Outcome<> Peer::finish() {
  const Descriptor process(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  if (process && !readable_in_time(process.get())) {
    return complain("the other end of the benchmark does not end");
  }
  int status = 0;
  ::waitpid(std::exchange(pid_, -1), &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  return complain("the other end of the benchmark has failed");
}

}  // namespace comch::tool
