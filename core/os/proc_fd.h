// Memory of another process, by the number of its descriptor there.
//
//   Fd theirs = open_memory_of(pid, 7, Window::kRead).value();
//
// The numbers may be anybody's invention: nothing is opened that is not memory (a pipe
// would block, a device would act), and whether it is the *right* memory is for the caller
// to ask. The kernel lets us look into a process that we may trace: one of our user, or
// any when we are root.
//
// Threads: any.
#pragma once

#include <cstdint>

#include "comch/result.h"
#include "os/fd.h"
#include "os/window.h"

namespace comch::os {

// not_found: there is no such process, or it has no such descriptor. not_permitted: the
// kernel does not let us look. invalid_value: it is no memory. operating_system: see sys.
Result<Fd> open_memory_of(std::int32_t pid, std::int32_t fd, Window::Use use);

}  // namespace comch::os
