// Open files: getrlimit(2).
#include "os/open_files.h"

#include <sys/resource.h>

#include "os/syscalls.h"

namespace comch::os {

std::uint64_t open_files_max() {
  rlimit limit{};
  // It fails for what is no limit alone; the usual one then.
  constexpr std::uint64_t kUsual = 1024;
  return syscalls().open_files(&limit) == 0 ? limit.rlim_cur : kUsual;
}

}  // namespace comch::os
