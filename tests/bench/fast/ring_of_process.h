// RingOfProcess: the one ring that the ends of a process share, as a program would have it.
//
// Threads: its process's one. Lifetime: it ends with the last end that holds it. Errors:
// std::runtime_error.
#pragma once

#include <memory>

#include "bench/fast/fast_ends.h"
#include "comch/uring/ring.h"

namespace comch::bench {

// With places for two batches, and for so many messages more. The first to ask decides: an end of
// its own process gets no more than it needs, because places that are not used take others' room
// in the cache, and ends that share it have few messages.
inline std::shared_ptr<uring::Ring> ring_of_process(std::uint32_t messages) {
  static std::weak_ptr<uring::Ring> shared;
  std::shared_ptr<uring::Ring> ring = shared.lock();
  if (ring == nullptr) {
    constexpr std::uint32_t kBatches = 2 * kPublishedAtOnce;
    ring = need(uring::Ring::create(engine_of_process(), {.entries = kPublishedAtOnce,
                                                          .completions = kBatches + messages}),
                "a ring");
    shared = ring;
  }
  return ring;
}

}  // namespace comch::bench
