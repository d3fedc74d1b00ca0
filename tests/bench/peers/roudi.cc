// Roudi: iceoryx's daemon as a library, until it is asked to end.
#include "bench/peers/roudi.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <iceoryx_hoofs/log/logmanager.hpp>
#include <iceoryx_posh/iceoryx_posh_config.hpp>
#include <iceoryx_posh/internal/roudi/roudi.hpp>
#include <iceoryx_posh/roudi/iceoryx_roudi_components.hpp>

#include "bench/cell.h"
#include "bench/peers/workload.h"
#include "support/deadline.h"

namespace comch::bench {
namespace {

// What the largest queue of iceoryx holds of small messages, and a few of large ones.
iox::RouDiConfig_t memory_for_messages() {
  iox::mepoo::MePooConfig pools;
  pools.addMemPool({128, 1024});
  pools.addMemPool({8 * kKib, 1024});
  pools.addMemPool({128 * kKib, 64});
  pools.addMemPool({2 * kMib, 24});
  pools.addMemPool({17 * kMib, 8});
  const auto group = iox::posix::PosixGroup::getGroupOfCurrentProcess().getName();
  iox::RouDiConfig_t config;
  config.m_sharedMemorySegments.push_back({group, group, pools});
  return config;
}

void discard_output() {
  const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (null < 0) return;
  ::dup2(null, STDOUT_FILENO);
  ::dup2(null, STDERR_FILENO);
}

// Until SIGTERM, which also comes when the process that started this one has gone.
int serve(const test::Gate& ready) {
  sigset_t end;
  sigemptyset(&end);
  sigaddset(&end, SIGTERM);
  sigset_t blocked = end;
  sigaddset(&blocked, SIGINT);  // Meant for the benchmark: this process ends when that has.
  // Before iceoryx starts threads, so that none of them gets one.
  ::sigprocmask(SIG_BLOCK, &blocked, nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  discard_output();
  iox::log::LogManager::GetLogManager().SetDefaultLogLevel(iox::log::LogLevel::kOff,
                                                           iox::log::LogLevelOutput::kHideLogLevel);
  iox::roudi::IceOryxRouDiComponents components(memory_for_messages());
  const iox::roudi::RouDi daemon(
      components.rouDiMemoryManager, components.portManager,
      // Processes that are gone are forgotten; none is killed, the number may be another's.
      {iox::roudi::MonitoringMode::ON, false});
  ready.open();
  int signal = 0;
  ::sigwait(&end, &signal);
  return 0;
}

}  // namespace

Roudi::Roudi() : daemon_(test::ChildProcess::run([this] { return serve(ready_); })) {
  const test::Deadline at_once(std::chrono::milliseconds(0));
  bool ready = false;
  test::eventually([&] { return (ready = ready_.wait(at_once)) || daemon_.wait(at_once); });
  if (!ready) throw Unavailable("iceoryx's daemon does not start; does another one run?");
}

Roudi::~Roudi() {
  daemon_.kill(SIGTERM);
  daemon_.wait();
}

}  // namespace comch::bench
