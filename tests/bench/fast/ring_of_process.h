// RingOfProcess: the one ring that the ends of a process share, as a program would have it.
//
// Threads: its process's one. Lifetime: it ends with the last end that holds it. Errors:
// std::runtime_error.
#pragma once

#include <memory>

#include "bench/fast/fast_ends.h"
#include "comch/uring/ring.h"

namespace comch::bench {

// `depth`: messages that an end may have under way. The first to ask decides.
inline std::shared_ptr<uring::Ring> ring_of_process(std::uint32_t depth) {
  static std::weak_ptr<uring::Ring> shared;
  std::shared_ptr<uring::Ring> ring = shared.lock();
  if (ring == nullptr) {
    // A receiver's buffers and a sender's messages.
    ring =
        need(uring::Ring::create(engine_of_process(), {.entries = depth, .completions = 4 * depth}),
             "a ring");
    shared = ring;
  }
  return ring;
}

}  // namespace comch::bench
