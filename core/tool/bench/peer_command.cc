// comch bench-peer: what a Peer's process does: it serves the client of one measurement. See
// peer.h; users never call it, and --help does not name it.
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <latch>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <tuple>
#include <variant>

#include "comch/log.h"
#include "tool/bench/fast_server.h"
#include "tool/bench/peer.h"
#include "tool/bench/responder.h"
#include "tool/commands.h"
#include "tool/loop.h"
#include "tool/rendezvous.h"

namespace comch::tool {
namespace {

struct PeerWords {
  std::string name;
  pid_t parent = 0;
  int log_level = 0;  // The parent's: a LogLevel.
  std::string plan;
};

// Opened when the server has its name.
std::latch named(1);

// One byte on standard output, where whoever started this waits for it, unless it has ended.
void say_ready() {
  named.count_down();
  std::ignore = ::write(STDOUT_FILENO, "r", 1);
}

Outcome<> serve(const FastPlan& plan, const std::string& name) {
  return serve_fast(plan, name, say_ready);
}
Outcome<> serve(const ResponderOptions& options, const std::string& name) {
  return respond(options, name, say_ready);
}

// A signal that ends this process in the midst of a measurement takes the server's name along: it
// is of these two processes, and no other server would take it over. One that comes while the name
// is being made waits for it; a server that does not start ends the process by itself.
void end_in_order_by_signal(const std::string& name) {
  sigset_t ending;
  sigemptyset(&ending);
  for (const int signal : kEndingSignals) sigaddset(&ending, signal);
  ::pthread_sigmask(SIG_BLOCK, &ending, nullptr);  // Of the threads to come, too.
  std::ignore = std::signal(SIGPIPE, SIG_IGN);     // Of who has ended already; its death is told.
  std::thread([ending, name] {
    int signal = 0;
    ::sigwait(&ending, &signal);
    named.wait();
    for (const SeenServer& server : seen_servers(rendezvous_directories())) {
      std::error_code none;
      if (server.name == name) std::filesystem::remove_all(server.directory, none);
    }
    ::_exit(128 + signal);
  }).detach();
}

Outcome<> be_peer(const PeerWords& words) {
  end_in_order_by_signal(words.name);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != words.parent) {  // Also when it died before the line above.
    return complain("the benchmark that this process is for has ended");
  }
  set_log_level(static_cast<LogLevel>(words.log_level));
  const auto plan = parse_peer_plan(words.plan);
  if (!plan) return std::unexpected(plan.error());
  return std::visit([&](const auto& one) { return serve(one, words.name); }, *plan);
}

}  // namespace

void add_bench_peer(CLI::App& app, const CommonOptions&, Command& chosen) {
  auto words = std::make_shared<PeerWords>();
  CLI::App* command = app.add_subcommand(Peer::kCommand, "The other process of comch bench");
  command->group("");  // Not in the help.
  command->add_option("name", words->name)->required();
  command->add_option("parent", words->parent)->required();
  command->add_option("log-level", words->log_level)->required();
  command->add_option("plan", words->plan)->required();
  command->callback([&chosen, words] { chosen = [words] { return be_peer(*words); }; });
}

}  // namespace comch::tool
