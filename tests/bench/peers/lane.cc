// Lanes: where a process may run.
#include "bench/peers/lane.h"

#include <sched.h>

#include <cerrno>
#include <system_error>

namespace comch::bench {

namespace {

int home = 0;

}  // namespace

void run_on_all(const std::vector<int>& processors) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int processor : processors) CPU_SET(static_cast<std::size_t>(processor), &set);
  if (::sched_setaffinity(0, sizeof set, &set) != 0) {
    throw std::system_error(errno, std::generic_category(), "sched_setaffinity");
  }
}

Roam::Roam(const std::vector<int>& everywhere) {
  home = usable_processors().front();
  run_on_all(everywhere);
}
Roam::~Roam() { run_on(home); }

int home_processor() { return home; }

}  // namespace comch::bench
