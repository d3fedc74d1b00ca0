// Allowances: see allowances.h.
#include "transport/rdma/allowances.h"

namespace comch::transport::rdma {

Result<PairShare> take_pair(Allowances& allowances, std::uint64_t bytes) {
  PairShare share{.descriptor = allowances.descriptors.take(1),
                  .pinned = allowances.pinned.take(bytes)};
  if (!share.descriptor) return fail(Errc::full, kNoDescriptors);
  if (!share.pinned) return fail(Errc::no_memory, "the peer has its share of pinned memory");
  return share;
}

}  // namespace comch::transport::rdma
