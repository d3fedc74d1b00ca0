// The shared object that a MsgQ's directory waits for.
//
// Threads: `kernel` is the chore's until that is done. Lifetime: shared by the directory, the
// chore and the write that wants to know.
#pragma once

#include <memory>
#include <optional>

#include "chore.h"
#include "msgq_directory.h"

namespace comch::fuse {

struct MsgqDirectory::Loading {
  std::expected<Kernel, Outcome> kernel = Kernel();
  std::shared_ptr<Chore> chore;
  std::optional<Outcome> outcome;  // Once the directory has taken it, or not.
};

}  // namespace comch::fuse
