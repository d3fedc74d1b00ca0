// RemoteConsumer: see remote_consumer.h.
#include "transport/rdma/remote_consumer.h"

#include <utility>

namespace comch::transport::rdma {
namespace {

// Nothing is ever sent on this end of a line; a completion queue has one place at least.
constexpr std::uint32_t kLineSends = 1;

}  // namespace

Result<std::shared_ptr<RemoteConsumer>> RemoteConsumer::make(const wire::RdmaConsumer& terms,
                                                             const Fabric& fabric) {
  Result<PairShare> share = take_pair(*fabric.allowances, board_size(terms.depth));
  if (!share) return std::unexpected(share.error());
  Result<Pinned> board =
      Pinned::make(*fabric.exposed, board_size(terms.depth), RegionAccess::kRemoteWrite);
  if (!board) return std::unexpected(board.error());
  Result<std::unique_ptr<Link>> line = Link::make_writable(fabric, kLineSends);
  if (!line) return std::unexpected(line.error());
  if (Status s = (*line)->connect(fabric, terms.line); !s) return std::unexpected(s.error());
  return std::make_shared<RemoteConsumer>(
      terms, fabric, Parts{std::move(*share), std::move(*board), std::move(*line)});
}

RemoteConsumer::RemoteConsumer(const wire::RdmaConsumer& t, const Fabric& f, Parts parts)
    : terms(t),
      shape(LaneShape::of(t.depth, t.immediate_max)),
      fabric(f),
      parts_(std::move(parts)),
      desk(parts_.board.data(), t.depth, t.map_size) {}

wire::RdmaAccepted RemoteConsumer::acceptance() const {
  return {.id = terms.id,
          .line = parts_.line->self(),
          .board = {parts_.board.address(), parts_.board.remote_key()}};
}

Result<LaneParts> RemoteConsumer::make_lane(std::uint32_t number) const {
  Result<PairShare> share = take_pair(*fabric.allowances, shape.size());
  if (!share) return std::unexpected(share.error());
  Result<Pinned> slots = Pinned::make(*fabric.domain, shape.size(), RegionAccess::kLocalRead);
  if (!slots) return std::unexpected(slots.error());
  Result<std::unique_ptr<Link>> link = Link::make(fabric, kSends);
  if (!link) return std::unexpected(link.error());
  LaneParts parts;
  parts.number = number;
  parts.share = std::move(*share);
  parts.link = std::move(*link);
  parts.slots = std::move(*slots);
  parts.sent.reserve(shape.slots);
  return parts;
}

}  // namespace comch::transport::rdma
