// Taken: what a consumer's port has handed out in one call.
//
// Threads: a value.
#pragma once

#include <cstddef>

namespace comch::transport {

struct Taken {
  std::size_t messages = 0;
  bool any = false;  // Something happened: a message, or a part of a long one.
};

}  // namespace comch::transport
