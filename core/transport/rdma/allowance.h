// Allowance: how much of what this process has one peer may take by what it asks for: queue pairs,
// each of which has a descriptor beside what the device keeps of it, and memory that is pinned.
//
//   auto share = fabric.allowance->take(bytes);    // Of one queue pair, and what it works with.
//   if (!share) return std::unexpected(share.error());
//   ...                                            // Given back with the last copy.
//
// A consumer that is announced costs its peer some forty bytes, and this side a board, a queue pair
// for it, and at least one lane with another; a lane that is asked for costs this side a lane. A
// thousand of each may be. A peer is one connection: a machine with several has as many shares, but
// never what is left for all others.
//
// Threads: any; one mutex, for nothing of it is done per message. Lifetime: shares may outlive the
// allowance.
#pragma once

#include <cstdint>
#include <memory>

#include "comch/result.h"

namespace comch::transport::rdma {

class Allowance {
 public:
  struct Amount {
    std::uint64_t pairs = 0;
    std::uint64_t bytes = 0;
  };
  // A quarter and three quarters of the limit on open files, as it is now: the last quarter is for
  // the connections themselves. Of memory picked: far above what anybody asks for.
  static Amount of_a_peer();
  static Amount of_all();

  explicit Allowance(const Amount& most = of_a_peer());

  // full: the peer has its share of queue pairs, or all together have theirs. no_memory: likewise.
  Result<std::shared_ptr<const void>> take(std::uint64_t bytes);

 private:
  class Share;

  const Amount most_;
  const std::shared_ptr<Amount> taken_;  // Behind the mutex.
};

}  // namespace comch::transport::rdma
