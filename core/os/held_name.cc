// HeldName: see held_name.h.
#include "os/held_name.h"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <tuple>
#include <utility>

#include "os/clock.h"
#include "os/directory.h"
#include "os/lock_file.h"
#include "os/reclaim.h"
#include "os/runtime_directory.h"

namespace comch::os {
namespace {

// The directory may be removed by its last owner just as we open it, also many times in a
// row when others come and go all the time; a try costs microseconds, so this is a bound on
// malice and not on bad luck.
constexpr int kTries = 100;

// Once in a second of this process: one that takes a thousand names need not look around for each.
bool is_time_to_reclaim() {
  constexpr std::uint64_t kEvery_ns = 1'000'000'000;
  static std::atomic<std::uint64_t> next{0};
  const std::uint64_t now = monotonic_ns();
  std::uint64_t due = next.load(std::memory_order_relaxed);  // Makes no edge: a moment.
  return now >= due && next.compare_exchange_strong(due, now + kEvery_ns);
}

}  // namespace

HeldName::HeldName(Fd runtime, Fd directory, Fd lock, std::string name)
    : runtime_(std::move(runtime)),
      directory_(std::move(directory)),
      lock_(std::move(lock)),
      name_(std::move(name)) {
  lock_.close_in_children();
}

Result<HeldName> HeldName::take(std::string name, const char* taken) {
  for (int tries = 0; tries < kTries; ++tries) {
    Result<Fd> runtime = runtime_directory_for_servers();
    if (!runtime) return std::unexpected(runtime.error());
    Status made = make_directory_at(*runtime, name.c_str(), 0755);
    if (!made && made.error().code != Errc::already_exist) return std::unexpected(made.error());
    Result<Fd> directory = open_directory_at(*runtime, name.c_str());
    if (!directory && directory.error().code == Errc::not_found) continue;
    if (!directory) return std::unexpected(directory.error());
    // In a runtime directory that all may write to, the name may be another user's trap.
    if (Status trusted = check_trusted(*directory); !trusted) {
      return std::unexpected(trusted.error());
    }
    Result<Fd> lock = lock_at(*directory, kLockFile);
    if (!lock && lock.error().sys == ENOENT) continue;  // Removed under us by its last owner.
    if (!lock && lock.error().code == Errc::already_exist) return fail(Errc::already_exist, taken);
    if (!lock) return std::unexpected(lock.error());
    if (is_time_to_reclaim()) reclaim_names(*runtime);
    return HeldName(std::move(*runtime), std::move(*directory), std::move(*lock), std::move(name));
  }
  return fail(Errc::operating_system, "the server's directory vanishes as fast as it is made");
}

HeldName::~HeldName() {
  if (!lock_) return;  // Moved from.
  // The lock's file goes last, so that nobody can hold a lock of that name and find our
  // leavings; a directory that somebody else is just moving into stays.
  std::ignore = unlink_at(directory_, kLockFile);
  std::ignore = remove_directory_at(runtime_, name_.c_str());
}

}  // namespace comch::os
