// InLane: see in_lane.h.
#include "transport/rdma/in_lane.h"

#include <utility>

namespace comch::transport::rdma {
namespace {

constexpr std::uint32_t kSends = 8;  // Rings alone.

}  // namespace

Result<std::shared_ptr<InLane>> InLane::make(const wire::RdmaLane& lane, const LaneShape& shape,
                                             const Fabric& fabric) {
  Result<PairShare> share = take_pair(*fabric.allowances, shape.size());
  if (!share) return std::unexpected(share.error());
  Result<Pinned> memory = Pinned::make(*fabric.exposed, shape.size(), RegionAccess::kRemoteWrite);
  if (!memory) return std::unexpected(memory.error());
  Result<std::unique_ptr<Link>> link = Link::make_writable(fabric, kSends);
  if (!link) return std::unexpected(link.error());
  if (Status s = (*link)->connect(fabric, lane.pair); !s) return std::unexpected(s.error());
  return std::make_shared<InLane>(lane.number, shape,
                                  Parts{std::move(*share), std::move(*memory), std::move(*link)});
}

InLane::InLane(std::uint32_t number, const LaneShape& shape, Parts parts)
    : number_(number), shape_(shape), parts_(std::move(parts)) {}

wire::RdmaLaneReady InLane::answer(std::uint32_t consumer) const {
  return {.consumer = consumer,
          .number = number_,
          .pair = parts_.link->self(),
          .lane = {parts_.memory.address(), parts_.memory.remote_key()}};
}

void InLane::tell(std::uint64_t done) {
  Link& link = *parts_.link;
  if (link.failure() || link.room() == 0 || !looks_.take(done)) return;
  if (space_.should_ring(parts_.memory.data())) link.ring();
}

}  // namespace comch::transport::rdma
