// HeldName: a name that one living process of this machine has: a directory of that name in the
// runtime directory, with a lock in it.
//
//   Result<HeldName> name = HeldName::take("0000:b1:00.0+echo", "the name is taken already");
//   listen_at(name->directory(), "socket", ...);      // What else belongs to the name lies there.
//
// What a dead owner left is taken over at once; what lies there beside the lock is stale then. Who
// takes a name sees to it that dead owners of others do not accumulate, too (reclaim.h).
//
// Threads: values. Lifetime: destroying it removes the lock and, if nothing else is in it, the
// directory: whoever puts something there takes it out before.
#pragma once

#include <string>

#include "comch/result.h"
#include "os/fd.h"

namespace comch::os {

// What lies in a name's directory.
inline constexpr const char* kLockFile = "lock";
inline constexpr const char* kSocketFile = "socket";  // Of a server on this machine.

class HeldName {
 public:
  // already_exist: a living process has it; `taken` says so, a literal. not_permitted: the runtime
  // directory may not be written, or the place is another user's. operating_system: see sys.
  static Result<HeldName> take(std::string name, const char* taken);

  HeldName(HeldName&&) noexcept = default;
  HeldName& operator=(HeldName&&) = delete;
  ~HeldName();

  // Closed once moved from.
  const Fd& directory() const { return directory_; }

 private:
  HeldName(Fd runtime, Fd directory, Fd lock, std::string name);

  Fd runtime_;
  Fd directory_;
  Fd lock_;
  std::string name_;
};

}  // namespace comch::os
