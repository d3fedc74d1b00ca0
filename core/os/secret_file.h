// Secret file: bytes that nobody but root and this user may read.
//
//   auto secret = read_secret("/etc/comch/rdma.key");
//
// Threads: any. Errors: not_found: there is no such file. not_permitted: others may read or
// change it, or it is not ours to read; Error::what says which. too_big: no secret is so long.
// invalid_value: no regular file. operating_system: see sys.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "comch/result.h"

namespace comch::os {

inline constexpr std::size_t kMaxSecret = 4096;

Result<std::vector<std::byte>> read_secret(const std::string& path);

}  // namespace comch::os
