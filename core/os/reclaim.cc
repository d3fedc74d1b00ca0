// Reclaim: see reclaim.h.
#include "os/reclaim.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "os/clock.h"
#include "os/directory.h"
#include "os/held_name.h"
#include "os/identity.h"
#include "os/lock_file.h"
#include "os/syscalls.h"

namespace comch::os {
namespace {

// Nothing: somebody else is at it.
Fd take_turn(const Fd& runtime) {
  Fd turn(syscalls().openat(runtime.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0));
  if (turn && syscalls().flock(turn.get(), LOCK_EX | LOCK_NB) != 0) turn.reset();
  return turn;
}

bool is_ours(const Fd& directory) {
  struct stat found = {};
  return syscalls().fstat(directory.get(), &found) == 0 && found.st_uid == own_uid();
}

// In this order: while the lock has its name nobody else has the name, and when it has none
// everybody begins anew.
void reclaim(const Fd& runtime, const char* name) {
  const Result<Fd> directory = open_directory_at(runtime, name);
  if (!directory || !is_ours(*directory)) return;
  const Result<Fd> lock = share_lock_at(*directory, kLockFile);
  if (!lock) return;
  std::ignore = unlink_at(*directory, kSocketFile);
  std::ignore = unlink_at(*directory, kLockFile);
  std::ignore = remove_directory_at(runtime, name);
}

}  // namespace

void reclaim_names(const Fd& runtime) {
  const Fd turn = take_turn(runtime);
  if (!turn) return;
  Result<std::vector<std::string>> names = names_at(runtime, kNamesListed);
  if (!names) return;
  std::erase_if(*names, [](const std::string& name) { return !name.contains('+'); });
  if (names->empty()) return;
  // From anywhere on, so that names which live do not hide those behind them.
  std::size_t next = monotonic_ns() % names->size();
  for (std::size_t left = std::min(names->size(), kNamesExamined); left > 0; --left) {
    reclaim(runtime, (*names)[next].c_str());
    next = (next + 1) % names->size();
  }
}

}  // namespace comch::os
