// next_submission(): the next free one of a Ring, which a test cannot do without.
//
// Threads: the ring's. Errors: throws std::runtime_error, which fails the test.
#pragma once

#include <cstdint>
#include <stdexcept>

#include "comch/uring/ring.h"

namespace comch::uring::test {

inline Submission& next_submission(Ring& ring, std::uint64_t user_data, std::uint8_t flags) {
  Submission* const s = ring.get();
  if (s == nullptr) throw std::runtime_error("no submission is free");
  s->user_data = user_data;
  s->flags = flags;
  return *s;
}

}  // namespace comch::uring::test
