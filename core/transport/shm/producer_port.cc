// ProducerPort: see producer_port.h.
#include "transport/shm/producer_port.h"

#include <array>
#include <utility>
#include <vector>

#include "os/packet.h"
#include "os/seq_socket.h"
#include "wire/handshake.h"

namespace comch::transport::shm {

Result<std::unique_ptr<ProducerPort>> ProducerPort::open(Reactor& reactor,
                                                         const std::shared_ptr<Hub>& hub,
                                                         const OutLane::Options& options,
                                                         ProducerPortOwner& owner) {
  auto sockets = os::pair();
  if (!sockets) return std::unexpected(sockets.error());
  auto port = std::make_unique<ProducerPort>(reactor, hub, options, owner,
                                             std::move(sockets->first), std::move(sockets->second));
  if (Status s = reactor.watch(port->listens_.get(), *port); !s) return std::unexpected(s.error());
  if (Status s = hub->enter(Hub::Kind::kProducer, port->listens_, &port->rings_); !s) {
    return std::unexpected(s.error());
  }
  return port;
}

ProducerPort::ProducerPort(Reactor& reactor, std::shared_ptr<Hub> hub,
                           const OutLane::Options& options, ProducerPortOwner& owner,
                           os::Fd listens, os::Fd rings)
    : reactor_(reactor),
      hub_(std::move(hub)),
      options_(options),
      owner_(owner),
      listens_(std::move(listens)),
      rings_(std::move(rings)),
      id_(hub_->next_producer_id()) {
  listens_.close_in_children();
  rings_.close_in_children();
}

ProducerPort::~ProducerPort() {
  reactor_.unwatch(listens_.get());
  hub_->leave(listens_);
  os::hang_up(listens_, hub_->peer_uid());
  for (const auto& [id, lane] : lanes_) end(*lane);
  lanes_.clear();
  // What they had in hand is back with the others.
  hub_->ring_producers();
}

Result<OutLane*> ProducerPort::look_up(std::uint32_t consumer) {
  OutLane* lane = lane_if_any(consumer);
  if (lane == nullptr) {
    std::shared_ptr<RemoteConsumer> remote = hub_->find(consumer);
    if (!remote) return fail(Errc::invalid_value, "the other side has no consumer of this id");
    forget_gone();
    Result<std::unique_ptr<OutLane>> made = OutLane::open(std::move(remote), id_, rings_, options_);
    if (!made) return std::unexpected(made.error());
    lane = (lanes_[consumer] = std::move(*made)).get();
  }
  last_id_ = consumer;
  last_ = lane;
  return lane;
}

OutLane* ProducerPort::lane_if_any(std::uint32_t consumer) const {
  if (OutLane* const last = last_lane(consumer)) return last;
  const auto it = lanes_.find(consumer);
  return it == lanes_.end() ? nullptr : it->second.get();
}

void ProducerPort::end(const OutLane& lane) {
  if (lane.gone()) return;
  const wire::LaneEnd packet{.producer = id_};
  if (!lane.consumer().say(packet, {})) hub_->say_later(lane.shared_consumer(), packet);
}

void ProducerPort::drop(std::uint32_t consumer) {
  const auto it = lanes_.find(consumer);
  if (it == lanes_.end()) return;
  if (last_ == it->second.get()) last_ = nullptr;
  before_ += it->second->counters();
  end(*it->second);
  lanes_.erase(it);
}

void ProducerPort::forget_gone() {
  std::vector<std::uint32_t> gone;
  for (const auto& [id, lane] : lanes_) {
    if (lane->gone() && lane->settled()) gone.push_back(id);
  }
  for (const std::uint32_t id : gone) drop(id);
}

LaneCounters ProducerPort::counters() const {
  LaneCounters sum = before_;
  for (const auto& [id, lane] : lanes_) sum += lane->counters();
  return sum;
}

// Doorbells, and the end. Whatever else comes in is from a peer that plays with our socket.
void ProducerPort::on_readable() {
  std::array<std::byte, wire::kMaxPacket> buffer;
  const Result<os::Packet> packet = os::receive(listens_, buffer, hub_->peer_uid());
  if (!packet && packet.error().code == Errc::again) return;
  if (packet && !packet->end) {
    forget_gone();
    return owner_.on_wake();
  }
  reactor_.unwatch(listens_.get());
  owner_.on_lost(Error{Errc::connection_reset, 0, "the peer is gone"});
}

}  // namespace comch::transport::shm
