// Whether a descriptor is open in this process.
#pragma once

#include <fcntl.h>

namespace comch::test {

inline bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

}  // namespace comch::test
