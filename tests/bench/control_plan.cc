// ControlPlan: names.
#include "bench/control_plan.h"

#include <unistd.h>

namespace comch::bench {

std::string fresh_server_name() {
  static unsigned made = 0;
  return "bench-" + std::to_string(::getpid()) + "-" + std::to_string(made++);
}

}  // namespace comch::bench
