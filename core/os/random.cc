// Random: getrandom(2).
#include "os/random.h"

#include <cerrno>

#include "os/syscalls.h"
#include "os/uninterrupted.h"

namespace comch::os {

Status fill_random(std::span<std::byte> into) {
  while (!into.empty()) {
    const ssize_t got =
        uninterrupted([&] { return syscalls().getrandom(into.data(), into.size(), 0); });
    if (got <= 0) return fail(Errc::operating_system, "the kernel gives no random bytes", errno);
    into = into.subspan(static_cast<std::size_t>(got));
  }
  return {};
}

}  // namespace comch::os
