// Peer: spawns this program anew, waits for its sign that it is ready, and reaps it.
#include "tool/bench/peer.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <utility>

#include "comch/log.h"
#include "tool/bench/spawned.h"
#include "tool/descriptor.h"

namespace comch::tool {
namespace {

// Longer than the start of a program and of a server take on any machine worth measuring.
constexpr int kPatienceMs = 10'000;

bool readable_in_time(int fd) {
  pollfd wait{.fd = fd, .events = POLLIN, .revents = 0};
  int ready = 0;
  do {
    ready = ::poll(&wait, 1, kPatienceMs);
  } while (ready < 0 && errno == EINTR);
  return ready == 1;
}

}  // namespace

Outcome<Peer> Peer::start(const PeerPlan& plan) {
  static unsigned made = 0;
  std::string name = fmt::format("comch-bench-{}-{}", ::getpid(), made++);
  auto spawned = spawn("/proc/self/exe",
                       {"comch", kCommand, name, fmt::to_string(::getpid()),
                        fmt::to_string(static_cast<int>(log_level())), to_text(plan)},
                       Errors::kTold);
  if (!spawned) return std::unexpected(spawned.error());
  Peer peer(spawned->pid, std::move(name));
  char byte = 0;
  const int output = spawned->output.get();
  if (readable_in_time(output) && ::read(output, &byte, 1) == 1) return peer;
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
