// Random: bytes that nobody can guess.
//
//   std::array<std::byte, 16> cookie;
//   if (Status s = fill_random(cookie); !s) return std::unexpected(s.error());
//
// Threads: any.
#pragma once

#include <cstddef>
#include <span>

#include "comch/result.h"

namespace comch::os {

// operating_system: the kernel gave none; see sys.
Status fill_random(std::span<std::byte> into);

}  // namespace comch::os
