// Membarrier: membarrier(2), its GLOBAL_EXPEDITED commands.
#include "os/membarrier.h"

#include <linux/membarrier.h>
#include <stdlib.h>

#include <atomic>

#include "os/syscalls.h"

namespace comch::os {
namespace {

// Neither guards anything: every access is relaxed and makes no edge. The barrier
// itself is the kernel's.
constinit std::atomic<bool> registered{false};
constinit std::atomic<int> forbidden{0};  // How many WithoutMembarrier there are.

bool is_forbidden() { return forbidden.load(std::memory_order_relaxed) != 0; }  // Meets no edge.

}  // namespace

bool register_expedited() {
  if (is_forbidden() || secure_getenv("COMCH_NO_MEMBARRIER") != nullptr) return false;
  if (registered.load(std::memory_order_relaxed)) return true;  // Meets no edge.
  if (syscalls().membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0) != 0) return false;
  registered.store(true, std::memory_order_relaxed);  // Makes no edge.
  return true;
}

bool expedite() {
  return !is_forbidden() && syscalls().membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0) == 0;
}

WithoutMembarrier::WithoutMembarrier() {
  forbidden.fetch_add(1, std::memory_order_relaxed);  // Makes no edge.
}

WithoutMembarrier::~WithoutMembarrier() {
  forbidden.fetch_sub(1, std::memory_order_relaxed);  // Makes no edge.
}

}  // namespace comch::os
