// BenchPeer: forks, serves one client in the child, and reaps it.
#include "tool/bench_peer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <tuple>
#include <utility>

#include "comch/comch.h"
#include "tool/descriptor.h"
#include "tool/fabric.h"

namespace comch::tool {
namespace {

// Longer than a fork and the start of a server take on any machine worth measuring.
constexpr int kPatienceMs = 10'000;

// One server in the child process: it serves until its client leaves.
class Responder {
 public:
  explicit Responder(const BenchPeer::Options& options) : options_(options) {}

  Outcome<> start(const std::string& name);
  Outcome<> serve();

 private:
  Receipt receive(Connection& from, std::span<const std::byte> message);

  const BenchPeer::Options& options_;
  std::unique_ptr<ProgressEngine> engine_;
  std::unique_ptr<Server> server_;
  bool client_left_ = false;
};

Outcome<> Responder::start(const std::string& name) {
  if (auto placed = run_on_cpu(options_.cpu); !placed) return placed;
  auto place = open_server_place(options_.common);
  if (!place) return std::unexpected(place.error());
  auto engine = ProgressEngine::create();
  if (!engine) return complain("cannot make a progress engine", engine.error());
  engine_ = std::move(*engine);
  auto server = Server::create(place->device, place->representor, name);
  if (!server) return complain("cannot make the other end's server", server.error());
  server_ = std::move(*server);

  auto free_task = [](SendTask& task) { std::ignore = task.free(); };
  Status status = server_->set_max_message_size(options_.common.max_message_size);
  if (status) status = server_->configure_send(1, free_task, free_task);
  if (status) {
    status = server_->on_message([this](Connection& from, std::span<const std::byte> message) {
      return receive(from, message);
    });
  }
  if (status) status = server_->on_space([](Connection& connection) { connection.resume(); });
  if (status) {
    status = server_->on_connection([](Connection&, bool) {},
                                    [this](Connection&, bool) { client_left_ = true; });
  }
  if (status) status = engine_->connect(*server_);
  if (!status) return complain("cannot configure the other end", status.error());
  if (auto state = server_->start(); !state) {
    return complain("cannot start the other end", state.error());
  }
  return {};
}

Receipt Responder::receive(Connection& from, std::span<const std::byte> message) {
  if (options_.reply == BenchPeer::Reply::kFencesOnly && !message.empty()) return Receipt::kTaken;
  const Status sent = from.try_send(message);
  if (sent || sent.error().code != Errc::again) return Receipt::kTaken;
  from.request_space();
  return Receipt::kKeep;
}

Outcome<> Responder::serve() {
  BenchTurn turn(*engine_, options_.waiting);
  while (!client_left_) turn();
  if (auto state = server_->stop(); !state) {
    return complain("cannot stop the other end", state.error());
  }
  while (server_->state() != ContextState::kIdle) engine_->wait(std::chrono::milliseconds(10));
  return {};
}

// The child's life. `ready` gets one byte when the server can be connected to.
int child(const BenchPeer::Options& options, const std::string& name, pid_t parent,
          Descriptor ready) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) return 1;  // It died before the line above.
  Responder responder(options);
  Outcome<> outcome = responder.start(name);
  if (outcome) {
    std::ignore = ::write(ready.get(), "r", 1);
    ready.reset();
    outcome = responder.serve();
  }
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

Outcome<> run_on_cpu(int cpu) {
  if (cpu < 0) return {};
  cpu_set_t set;
  CPU_ZERO(&set);
  if (cpu < CPU_SETSIZE) CPU_SET(static_cast<std::size_t>(cpu), &set);
  if (::sched_setaffinity(0, sizeof set, &set) == 0) return {};
  return complain(fmt::format("cannot run on CPU {}", cpu),
                  Error{.code = Errc::operating_system, .sys = errno});
}

Outcome<BenchPeer> BenchPeer::start(const Options& options) {
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
    const int code = child(options, name, parent, std::move(write_end));
    std::ignore = std::fflush(nullptr);
    ::_exit(code);
  }
  write_end.reset();
  BenchPeer peer(pid, std::move(name));
  char byte = 0;
  if (readable_in_time(read_end.get()) && ::read(read_end.get(), &byte, 1) == 1) return peer;
  return complain("the other end of the benchmark did not start");
}

BenchPeer::BenchPeer(BenchPeer&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), name_(std::move(other.name_)) {}

BenchPeer::~BenchPeer() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

Outcome<> BenchPeer::finish() {
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
