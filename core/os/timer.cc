// Timer: see timer.h.
#include "os/timer.h"

#include <sys/timerfd.h>

#include <algorithm>
#include <cerrno>

#include "os/syscalls.h"

namespace comch::os {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

itimerspec at(std::uint64_t due_ns) {
  itimerspec spec{};
  if (due_ns == Timer::kNever) return spec;  // All zero disarms.
  due_ns = std::max<std::uint64_t>(due_ns, 1);
  spec.it_value.tv_sec = static_cast<time_t>(due_ns / kSecond);
  spec.it_value.tv_nsec = static_cast<long>(due_ns % kSecond);
  return spec;
}

}  // namespace

Result<Timer> Timer::create() {
  Fd fd(syscalls().timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
  if (!fd) return fail(Errc::operating_system, "no timer can be made", errno);
  return Timer(std::move(fd));
}

void Timer::set(std::uint64_t due_ns) const {
  const itimerspec spec = at(due_ns);
  syscalls().timerfd_settime(fd_.get(), TFD_TIMER_ABSTIME, &spec, nullptr);
}

bool Timer::drain() const {
  std::uint64_t expirations = 0;
  return syscalls().read(fd_.get(), &expirations, sizeof expirations) == sizeof expirations;
}

}  // namespace comch::os
