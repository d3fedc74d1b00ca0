// Event: eventfd(2).
#include "os/event.h"

#include <sys/eventfd.h>

#include <cerrno>
#include <cstdint>
#include <tuple>

#include "os/syscalls.h"
#include "os/uninterrupted.h"

namespace comch::os {

Result<Event> Event::create() {
  Fd fd(syscalls().eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!fd) return fail(Errc::operating_system, "no event can be made", errno);
  return Event(std::move(fd));
}

void Event::signal() const {
  const std::uint64_t one = 1;
  // The only failure is EAGAIN: rung 2^64 - 2 times and never drained. It is readable.
  std::ignore = uninterrupted([&] { return syscalls().write(fd_.get(), &one, sizeof one); });
}

bool Event::drain() const {
  std::uint64_t count = 0;
  return uninterrupted([&] { return syscalls().read(fd_.get(), &count, sizeof count); }) > 0;
}

}  // namespace comch::os
