// Kernel: what runs on the accelerator's end of a MsgQ: one that is built in, or a function of a
// shared object (comch/msgq_kernel.h).
//
//   auto kernel = built_in_kernel("echo");
//   auto kernel = load_kernel("/usr/local/lib/upper.so");    // else an Outcome that says why not
//
// A shared object becomes part of the daemon, with all its rights. It is therefore for root to
// name it, which the caller sees to, and must be a file that nobody but root can have written;
// what is loaded is a copy of what was looked at.
//
// Threads: any. Lifetime: a value; the object is unloaded with the last copy of it.
#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "comch/msgq_kernel.h"
#include "outcome.h"

namespace comch::fuse {

struct Kernel {
  std::string name;  // As it was asked for.
  comch_kernel_function* function = nullptr;
  std::shared_ptr<const void> object = {};  // Keeps the function. None: it is built in.
};

// Nothing: there is none of that name.
std::optional<Kernel> built_in_kernel(std::string_view name);

// Blocks for as long as reading the file takes.
// Errnos: as open(2), EINVAL: no absolute path, or not a kernel; EPERM: it does not belong to
// root, or others may write it; EFBIG.
std::expected<Kernel, Outcome> load_kernel(const std::string& path);

}  // namespace comch::fuse
