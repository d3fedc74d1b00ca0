// Hub: what the other machine says. Everything that it names is looked up, and nothing of it is
// believed to be there.
#include <algorithm>
#include <utility>

#include "base/say.h"
#include "transport/rdma/hub.h"

namespace comch::transport::rdma {
namespace {

std::unexpected<Error> nonsense(const char* what) { return fail(Errc::connection_reset, what); }

}  // namespace

Hub::News Hub::take(std::span<const std::byte> letter) {
  const Result<wire::RdmaPacket> packet = wire::decode_rdma(letter);
  if (!packet) return std::unexpected(packet.error());
  News news = std::visit([this](const auto& body) { return took(body); }, *packet);
  const std::lock_guard lock(mutex_);
  // It goes on saying things, and takes no answer.
  if (has_too_much_to_say()) return nonsense("more answers are left lying than may be");
  return news;
}

std::shared_ptr<LocalConsumer> Hub::local(std::uint32_t id) const {
  const std::lock_guard lock(mutex_);
  const auto it = local_.find(id);
  return it == local_.end() ? nullptr : it->second;
}

// --- Of consumers there ------------------------------------------------------------------

Hub::News Hub::took(const wire::RdmaConsumer& terms) {
  {
    const std::lock_guard lock(mutex_);
    if (!ids_.may_be_peers(terms.id)) return nonsense("a consumer of an id of this side");
    if (remote_.contains(terms.id)) return nonsense("two consumers of one id");
    if (remote_.size() >= kMaxPorts) return nonsense("more consumers than there may be");
  }
  Result<std::shared_ptr<RemoteConsumer>> made = RemoteConsumer::make(terms, fabric_);
  if (!made) {
    comch::say(LogLevel::kError, "cannot reach consumer {} of a peer: {}", terms.id,
               describe(made.error()));
    const std::lock_guard lock(mutex_);
    say(wire::RdmaRefused{terms.id, 0, made.error().code});
    return std::nullopt;
  }
  {
    const std::lock_guard lock(mutex_);
    remote_.emplace(terms.id, *made);
    say((*made)->acceptance());
  }
  // It is told of when there is a lane, so that the first send finds one.
  want_lanes(**made);
  return std::nullopt;
}

Hub::News Hub::took(const wire::RdmaLaneReady& ready) {
  std::shared_ptr<RemoteConsumer> consumer;
  LaneParts lane;
  {
    const std::lock_guard lock(mutex_);
    const auto it = remote_.find(ready.consumer);
    if (it == remote_.end()) return std::nullopt;  // One that has ended since.
    consumer = it->second;
    auto node = consumer->lanes.wanted.extract(ready.number);
    if (node.empty()) return nonsense("a lane that nobody asked for");
    lane = std::move(node.mapped());
  }
  lane.target = ready.lane;
  const Status connected = lane.link->connect(fabric_, ready.pair);
  bool appeared = false;
  {
    const std::lock_guard lock(mutex_);
    if (!connected) {
      say(wire::RdmaLaneEnd{ready.consumer, ready.number});
      consumer->lanes.lost.emplace(ready.number, LostMessages{0, std::move(lane.sent)});
      return std::nullopt;
    }
    appeared = !std::exchange(consumer->lanes.told, true);
    consumer->lanes.spare.push_back(std::move(lane));
    consumer->lanes.refused.reset();
  }
  ring_producers();
  want_lanes(*consumer);
  if (!appeared) return std::nullopt;
  return ConsumerNews{ready.consumer, true};
}

// What did not arrive was not used up, and nobody else will be told of it again.
Hub::News Hub::took(const wire::RdmaLaneOver& over) {
  std::shared_ptr<RemoteConsumer> consumer;
  LostMessages lost;
  {
    const std::lock_guard lock(mutex_);
    const auto it = remote_.find(over.consumer);
    if (it == remote_.end()) return std::nullopt;  // One that has ended since.
    consumer = it->second;
    auto node = consumer->lanes.lost.extract(over.number);
    if (node.empty()) return nonsense("the end of a lane that has not ended");
    lost = std::move(node.mapped());
  }
  // As many as were ever sent, or as the lane has slots: no more can have been lost.
  if (lost.position - over.messages > lost.sent.size()) return nonsense("messages never sent");
  for (std::uint32_t n = lost.position; n != over.messages; --n) {
    consumer->desk.give_back(lost.sent[(n - 1) & (consumer->shape.slots - 1)]);
  }
  ring_producers();
  want_lanes(*consumer);
  return std::nullopt;
}

Hub::News Hub::took(const wire::RdmaConsumerEnd& end) {
  std::shared_ptr<RemoteConsumer> gone;
  {
    const std::lock_guard lock(mutex_);
    auto node = remote_.extract(end.id);
    if (node.empty()) return std::nullopt;  // One that could not be reached.
    gone = std::move(node.mapped());
    gone->set_gone();
    gone->lanes.wanted.clear();
    gone->lanes.spare.clear();
    unsay(end.id);
    done_if_empty(*gone);
  }
  ring_producers();
  if (!gone->lanes.told) return std::nullopt;
  return ConsumerNews{end.id, false};
}

// --- Of consumers here -------------------------------------------------------------------

Hub::News Hub::took(const wire::RdmaAccepted& accepted) {
  const std::shared_ptr<LocalConsumer> consumer = local(accepted.id);
  if (!consumer) return nonsense("an answer for a consumer that is not there");
  if (!consumer->take_answer()) return nonsense("a second answer for a consumer");
  const Status connected = consumer->line().connect(fabric_, accepted.line);
  connected ? consumer->accept(accepted.board) : consumer->refuse(connected.error());
  return std::nullopt;
}

Hub::News Hub::took(const wire::RdmaLane& lane) {
  const std::shared_ptr<LocalConsumer> consumer = local(lane.consumer);
  if (!consumer) return nonsense("a lane to a consumer that is not there");
  if (!consumer->is_new(lane.number)) return nonsense("two lanes of one number");
  const Result<wire::RdmaLaneReady> ready = give_lane(*consumer, lane);
  if (!ready && ready.error().code != Errc::shutdown) {
    comch::say(LogLevel::kError, "consumer {} has no lane for a peer: {}", lane.consumer,
               describe(ready.error()));
  }
  const std::lock_guard lock(mutex_);
  if (ready) say(*ready);
  if (!ready) say(wire::RdmaRefused{lane.consumer, lane.number, ready.error().code});
  return std::nullopt;
}

Result<wire::RdmaLaneReady> Hub::give_lane(LocalConsumer& consumer, const wire::RdmaLane& lane) {
  if (Status may = consumer.may_add(); !may) return std::unexpected(may.error());
  Result<std::shared_ptr<InLane>> made = InLane::make(lane, consumer.shape, fabric_);
  if (!made) return std::unexpected(made.error());
  const wire::RdmaLaneReady answer = (*made)->answer(lane.consumer);
  if (Status added = consumer.add(std::move(*made)); !added) {
    return std::unexpected(added.error());
  }
  return answer;
}

Hub::News Hub::took(const wire::RdmaLaneEnd& end) {
  const std::shared_ptr<LocalConsumer> consumer = local(end.consumer);
  if (!consumer || !consumer->lane_ended(end.number)) return nonsense("the end of no lane");
  return std::nullopt;
}

Hub::News Hub::took(const wire::RdmaConsumerDone& done) {
  std::shared_ptr<LocalConsumer> over;  // Released outside of the mutex.
  const std::lock_guard lock(mutex_);
  over = forget(done.id);
  if (!over) return nonsense("the end of no consumer");
  return std::nullopt;
}

// --- Of both -----------------------------------------------------------------------------

Hub::News Hub::took(const wire::RdmaRefused& refused) {
  if (refused.lane == 0) {
    // Nothing of it is there, so that nobody says RdmaConsumerDone either.
    std::shared_ptr<LocalConsumer> consumer;
    {
      const std::lock_guard lock(mutex_);
      consumer = forget(refused.consumer);
    }
    if (!consumer) return nonsense("an answer for a consumer that is not there");
    if (!consumer->take_answer()) return nonsense("a second answer for a consumer");
    consumer->refuse({refused.code, 0, "the other side cannot reach the consumer"});
    return std::nullopt;
  }
  {
    const std::lock_guard lock(mutex_);
    const auto it = remote_.find(refused.consumer);
    if (it == remote_.end()) return std::nullopt;
    RemoteConsumer::Lanes& lanes = it->second->lanes;
    if (lanes.wanted.erase(refused.lane) == 0) return nonsense("a lane nobody asked for");
    // Who waits for one that is still to come goes on waiting.
    if (!lanes.wanted.empty() || !std::exchange(lanes.awaited, false)) return std::nullopt;
    lanes.refused = refused.code;
  }
  ring_producers();
  return std::nullopt;
}

}  // namespace comch::transport::rdma
