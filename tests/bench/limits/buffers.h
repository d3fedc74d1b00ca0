// Buffers: memory of both processes, cut into pieces of one size; and how many make a ring.
//
// Threads: plain memory; who may touch what is the ring's business.
// Lifetime: made before the fork; each process maps its pages with populate().
// Errors: std::system_error without so much memory.
#pragma once

#include <sys/mman.h>

#include <bit>
#include <cstddef>
#include <span>

#include "bench/limits/sequence_ring.h"
#include "bench/peers/workload.h"
#include "bench/processes.h"

namespace comch::bench {

class Buffers {
 public:
  Buffers(std::size_t count, std::size_t bytes)
      : bytes_(bytes),
        stride_((bytes + kPage - 1) / kPage * kPage),
        pages_(count * stride_),
        size_(count * stride_) {}

  std::span<std::byte> operator[](std::size_t index) const {
    return {static_cast<std::byte*>(pages_.data()) + index * stride_, bytes_};
  }

  // Pages are there, but a new process takes a fault for each, which is not to be measured.
  // A kernel that cannot help (before 5.14) leaves the faults to the first slice.
  void populate() const { ::madvise(pages_.data(), size_, MADV_POPULATE_WRITE); }

 private:
  static constexpr std::size_t kPage = 4096;

  std::size_t bytes_;
  std::size_t stride_;
  SharedPages pages_;
  std::size_t size_;
};

// As many as stay in a second-level cache; two at least, so that both sides have one; of a GiB
// one, because two would need more memory than some machines have.
constexpr std::size_t ring_slots(std::size_t bytes) {
  if (bytes >= kGib) return 1;
  return std::bit_floor(std::clamp<std::size_t>(128 * kKib / bytes, 2, SequenceRing::kMostSlots));
}

}  // namespace comch::bench
