// LaneCounters: what a producer has sent through one lane, or through all of them, by the way that
// the data went. A message is counted once among the ways, and its bytes.
//
// Threads: values. Errors: none.
#pragma once

#include <cstdint>

namespace comch::transport::shm {

struct LaneCounters {
  std::uint64_t in_slot = 0;  // Inline. This one and the bytes are counted with one store.
  std::uint64_t bytes = 0;
  std::uint64_t mapped = 0;
  std::uint64_t staged = 0;
  std::uint64_t cma = 0;
  std::uint64_t cooperative = 0;
  std::uint64_t loaned = 0;
  std::uint64_t handed_over = 0;
  std::uint64_t wakes_sent = 0;

  std::uint64_t messages() const {
    return in_slot + mapped + staged + cma + cooperative + loaned + handed_over;
  }

  LaneCounters& operator+=(const LaneCounters& other) {
    in_slot += other.in_slot;
    bytes += other.bytes;
    mapped += other.mapped;
    staged += other.staged;
    cma += other.cma;
    cooperative += other.cooperative;
    loaned += other.loaned;
    handed_over += other.handed_over;
    wakes_sent += other.wakes_sent;
    return *this;
  }
};

}  // namespace comch::transport::shm
