// comchfs: the daemon that shows comch as a file tree. This file is the order of things:
// arguments, background, mount, INIT, loop, end.
//
// Threads: everything runs on one, but for the announcer's. Errors: said on standard
// error while there is one, with an exit code as mount(8) documents them.
#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cstdio>

#include "arguments.h"
#include "background.h"
#include "comch/log.h"
#include "log_setup.h"
#include "loop.h"
#include "mount.h"
#include "tree.h"

namespace comch::fuse {
namespace {

ExitCode say(ExitCode code, std::string_view text) {
  fmt::print(stderr, "comchfs: {}\n", text);
  return code;
}

// Signals that end the daemon come through the loop; writing to a peer that is gone is
// an error, not a signal.
int watch_signals() {
  sigset_t ending;
  sigemptyset(&ending);
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&ending, number);
  sigprocmask(SIG_BLOCK, &ending, nullptr);
  signal(SIGPIPE, SIG_IGN);
  return signalfd(-1, &ending, SFD_CLOEXEC | SFD_NONBLOCK);
}

// Every object and every client of a server's takes some; what a shell is given by default is soon
// used up. A refusal leaves what there is.
void take_all_descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

// From the mount to its end.
ExitCode serve(const Arguments& arguments, Services& services, Background& background) {
  const auto devices = list_devices();
  if (!devices) return say(ExitCode::kSystem, describe(devices.error()));
  const auto tree = Tree::create(services, *devices);
  Session session(services);
  const int signals = watch_signals();
  if (signals < 0) return say(ExitCode::kSystem, "cannot wait for signals");
  auto mount = Mount::create(arguments.mount_point, arguments.source, arguments.mount, session);
  if (!mount) return say(ExitCode::kMountFailed, mount.error());

  Loop loop(session, *tree, services, fuse_session_fd((*mount)->session()), signals);
  if (!loop.initialise()) return say(ExitCode::kMountFailed, "the kernel did not take the mount");
  if (!services.announcer.start((*mount)->directory(), (*mount)->session())) {
    return say(ExitCode::kSystem, "cannot make a thread");
  }
  move_log_to_background(arguments);
  background.ready(ExitCode::kSuccess);
  notify_supervisor("READY=1");
  loop.run();

  notify_supervisor("STOPPING=1");
  loop.wind_up();
  (*mount)->unmount();
  services.announcer.stop();  // Before the session goes, which a thread that hangs may yet use.
  close(signals);
  return ExitCode::kSuccess;
}

ExitCode run(int count, char** words) {
  const auto parsed = parse_arguments(count, words);
  if (const auto* code = std::get_if<ExitCode>(&parsed)) return *code;
  const auto& arguments = std::get<Arguments>(parsed);
  if (arguments.fake) return ExitCode::kSuccess;
  set_up_log(arguments);
  take_all_descriptors();

  Background background = Background::enter(arguments.foreground);
  auto engine = EngineHost::create();
  if (!engine) return say(ExitCode::kSystem, describe(engine.error()));
  Services services(arguments.mount, **engine);
  const ExitCode code = serve(arguments, services, background);
  background.ready(code);
  return code;
}

}  // namespace
}  // namespace comch::fuse

int main(int count, char** words) { return static_cast<int>(comch::fuse::run(count, words)); }
