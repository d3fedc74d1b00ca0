// Buffers: memory of both processes, cut into pieces of one size; and how many make a ring.
//
// Threads: plain memory; who may touch what is the ring's business.
// Lifetime: made before the fork; each process maps its pages with populate().
// Errors: std::system_error without so much memory.
#pragma once

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
      : bytes_(bytes), stride_((bytes + kPage - 1) / kPage * kPage), pages_(count * stride_) {}

  std::span<std::byte> operator[](std::size_t index) const {
    return pages_.bytes().subspan(index * stride_, bytes_);
  }

  void populate() const { touch_pages(pages_.bytes()); }

 private:
  static constexpr std::size_t kPage = 4096;

  std::size_t bytes_;
  std::size_t stride_;
  SharedPages pages_;
};

// As many as stay in a second-level cache; two at least, so that both sides have one; of a GiB
// one, because two would need more memory than some machines have.
constexpr std::size_t ring_slots(std::size_t bytes) {
  if (bytes >= kGib) return 1;
  return std::bit_floor(std::clamp<std::size_t>(128 * kKib / bytes, 2, SequenceRing::kMostSlots));
}

}  // namespace comch::bench
