// Allowances: what one peer may have made here by what it asks for; see transport/allowance.h.
//
//   Result<PairShare> share = take_pair(*fabric.allowances, bytes);
//   if (!share) return std::unexpected(share.error());
//   ...                                            // Given back with the last copy.
//
// A consumer that is announced costs its peer some forty bytes, and this side a board, a queue pair
// for it, and at least one lane with another; a lane that is asked for costs this side a lane. A
// thousand of each may be. Each queue pair has a descriptor beside what the device keeps of it.
//
// A peer is one connection: a machine with several has as many shares, but never what is left for
// all others. Threads, Lifetime: as Allowance.
#pragma once

#include <cstdint>
#include <memory>

#include "comch/result.h"
#include "transport/allowance.h"

namespace comch::transport::rdma {

// All that one peer may take.
struct Allowances {
  Allowance descriptors = Allowance::of_descriptors();
  Allowance pinned = Allowance::of_pinned();
};

// Of one queue pair, and of the memory that it works with.
struct PairShare {
  std::shared_ptr<const void> descriptor;
  std::shared_ptr<const void> pinned;
};
// full, no_memory: the peer has its share of the descriptors, of the memory.
Result<PairShare> take_pair(Allowances& allowances, std::uint64_t bytes);

}  // namespace comch::transport::rdma
