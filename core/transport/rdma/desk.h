// Desk: where the producers of this process take what a consumer of the other machine has posted,
// each descriptor once and in order, whoever of them asks.
//
//   Posted posted;
//   switch (desk.take(posted)) { case BoardLook::kPosted: ... }
//   desk.give_back(posted);                 // It was not used: the next one taken.
//
// A lock is what the producers of one process share here; beside a work request it does not show:
// the stashes of the shared-memory carrier (shm/stash.h) would gain nothing.
//
// Threads: any. Lifetime: the board outlives it. Errors: kBroken, for good: the consumer posts what
// it does not have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "transport/rdma/board.h"

namespace comch::transport::rdma {

class Desk {
 public:
  Desk(const std::byte* board, std::uint32_t depth, std::uint64_t map_size);

  BoardLook take(Posted& posted);
  void give_back(const Posted& posted);
  // Whether take() has an answer.
  bool ready() const;

 private:
  const std::byte* const board_;
  const std::uint32_t depth_;
  const std::uint64_t map_size_;
  mutable std::mutex mutex_;
  // Behind mutex_.
  std::uint32_t position_ = 0;  // Descriptors taken off the board.
  std::vector<Posted> returned_;
  bool broken_ = false;
};

}  // namespace comch::transport::rdma
