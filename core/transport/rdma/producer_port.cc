// ProducerPort: see producer_port.h.
#include "transport/rdma/producer_port.h"

#include <utility>
#include <vector>

namespace comch::transport::rdma {

Result<std::unique_ptr<ProducerPort>> ProducerPort::open(Reactor& reactor,
                                                         const std::shared_ptr<Hub>& hub,
                                                         const OutLane::Options& options,
                                                         ProducerPortOwner& owner) {
  Result<os::Event> rings = os::Event::create();
  if (!rings) return std::unexpected(rings.error());
  auto port = std::make_unique<ProducerPort>(reactor, hub, options, owner, std::move(*rings));
  if (Status s = reactor.watch(port->rings_.fd().get(), *port); !s) {
    return std::unexpected(s.error());
  }
  if (Status s = hub->enter(Hub::Kind::kProducer, port->rings_); !s) {
    return std::unexpected(s.error());
  }
  return port;
}

ProducerPort::ProducerPort(Reactor& reactor, std::shared_ptr<Hub> hub,
                           const OutLane::Options& options, ProducerPortOwner& owner,
                           os::Event rings)
    : reactor_(reactor),
      hub_(std::move(hub)),
      options_(options),
      owner_(owner),
      rings_(std::move(rings)),
      id_(hub_->next_producer_id()) {}

ProducerPort::~ProducerPort() {
  reactor_.unwatch(rings_.fd().get());
  hub_->leave(rings_);
  for (const auto& [id, seat] : seats_) reactor_.unwatch(seat->lane->link().fd());
  seats_.clear();
  // What they had in hand is back with the others.
  hub_->ring_producers();
}

Result<OutLane*> ProducerPort::look_up(std::uint32_t consumer) {
  OutLane* lane = lane_if_any(consumer);
  if (lane == nullptr) {
    std::shared_ptr<RemoteConsumer> remote = hub_->find(consumer);
    if (!remote) return fail(Errc::invalid_value, "the other side has no consumer of this id");
    forget_gone();
    Result<LaneParts> parts = hub_->take_lane(*remote);
    if (!parts) return std::unexpected(parts.error());
    auto seat = std::make_unique<Seat>(
        *this,
        std::make_unique<OutLane>(hub_, std::move(remote), std::move(*parts), id_, options_));
    lane = seat->lane.get();
    if (Status s = reactor_.watch(lane->link().fd(), *seat); !s) return std::unexpected(s.error());
    seats_[consumer] = std::move(seat);
  }
  last_id_ = consumer;
  last_ = lane;
  return lane;
}

OutLane* ProducerPort::lane_if_any(std::uint32_t consumer) const {
  const auto it = seats_.find(consumer);
  return it == seats_.end() ? nullptr : it->second->lane.get();
}

void ProducerPort::drop(std::uint32_t consumer) {
  const auto it = seats_.find(consumer);
  if (it == seats_.end()) return;
  OutLane& lane = *it->second->lane;
  if (last_ == &lane) last_ = nullptr;
  before_ += lane.counters();
  reactor_.unwatch(lane.link().fd());
  seats_.erase(it);
}

LaneCounters ProducerPort::counters() const {
  LaneCounters sum = before_;
  for (const auto& [id, seat] : seats_) sum += seat->lane->counters();
  return sum;
}

void ProducerPort::forget_gone() {
  std::vector<std::uint32_t> gone;
  for (const auto& [id, seat] : seats_) {
    const OutLane& lane = *seat->lane;
    if (lane.gone() && lane.over() && !lane.lends()) gone.push_back(id);
  }
  for (const std::uint32_t id : gone) drop(id);
}

void ProducerPort::on_readable() {
  rings_.drain();
  if (hub_->closed()) {
    reactor_.unwatch(rings_.fd().get());
    return owner_.on_lost(Error{Errc::connection_reset, 0, "the peer is gone"});
  }
  forget_gone();
  owner_.on_wake();
}

void ProducerPort::Seat::on_readable() {
  lane->link().drain();
  lane->ready(false);
  port.owner_.on_wake();
}

}  // namespace comch::transport::rdma
