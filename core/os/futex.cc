// Futex: futex(2), FUTEX_WAKE.
#include "os/futex.h"

#include <tuple>

#include "os/syscalls.h"

namespace comch::os {

void wake_all(const void* word) { std::ignore = syscalls().futex_wake(word, kWaitsMax); }

}  // namespace comch::os
