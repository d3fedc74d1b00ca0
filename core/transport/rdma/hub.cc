// Hub: its ports, and what this side says. hub_letters.cc has what the other side says.
#include "transport/rdma/hub.h"

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

#include "base/say.h"

namespace comch::transport::rdma {

Result<std::shared_ptr<Hub>> Hub::create(bool is_server, Fabric fabric) {
  Result<os::Event> news = os::Event::create();
  if (!news) return std::unexpected(news.error());
  return std::make_shared<Hub>(std::move(*news), is_server, std::move(fabric));
}

Hub::Hub(os::Event news, bool is_server, Fabric fabric)
    : news_(std::move(news)),
      fabric_(std::move(fabric)),
      exposures_(fabric_.exposed),
      ids_(is_server) {}

// --- Ports -------------------------------------------------------------------------------

Status Hub::enter(Kind kind, const os::Event& rings) {
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return fail(Errc::connection_reset, "the connection has ended");
    const auto same = std::ranges::count(ports_, kind, &Port::kind);
    if (static_cast<std::size_t>(same) >= kMaxPorts) {
      return fail(Errc::full, "the connection has 1,024 of them on this side already");
    }
    if (kind == Kind::kConsumer && ended_.size() >= kMaxEnded) {
      return fail(Errc::full, "the other side keeps 256 consumers that have ended");
    }
    ports_.push_back({kind, &rings});
  }
  if (kind == Kind::kProducer) want_lanes_for_all();
  return {};
}

void Hub::leave(const os::Event& rings) {
  const std::lock_guard lock(mutex_);
  std::erase_if(ports_, [&](const Port& port) { return port.rings == &rings; });
  if (ports_.empty()) news_.signal();
}

std::size_t Hub::ports() const {
  const std::lock_guard lock(mutex_);
  return ports_.size();
}

bool Hub::closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

void Hub::ring_producers() const {
  const std::lock_guard lock(mutex_);
  for (const Port& port : ports_) {
    if (port.kind == Kind::kProducer) port.rings->signal();
  }
}

std::uint32_t Hub::next_consumer_id() {
  const std::lock_guard lock(mutex_);
  return ids_.next_consumer();
}

std::uint32_t Hub::next_producer_id() {
  const std::lock_guard lock(mutex_);
  return ids_.next_producer();
}

// --- What this side says -----------------------------------------------------------------

// With the mutex held.
void Hub::say(const wire::RdmaPacket& packet) {
  if (closed_) return;
  outbox_.push_back(packet);
  news_.signal();
}

// With the mutex held. Lanes that are wanted are as many as can be made; they need no count.
bool Hub::has_too_much_to_say() const {
  if (outbox_.size() <= kMaxLetters) return false;
  const auto lanes = std::ranges::count_if(outbox_, [](const wire::RdmaPacket& letter) {
    return std::holds_alternative<wire::RdmaLane>(letter);
  });
  return outbox_.size() - static_cast<std::size_t>(lanes) > kMaxLetters;
}

// With the mutex held. Of a consumer there that has ended nobody needs to hear how it was wanted.
void Hub::unsay(std::uint32_t remote) {
  std::erase_if(outbox_, [remote](const wire::RdmaPacket& letter) {
    const auto* const lane = std::get_if<wire::RdmaLane>(&letter);
    return lane != nullptr && lane->consumer == remote;
  });
}

void Hub::announce(std::shared_ptr<LocalConsumer> consumer) {
  const std::lock_guard lock(mutex_);
  say(consumer->terms);
  if (!closed_) local_.emplace(consumer->terms.id, std::move(consumer));
}

void Hub::withdraw(std::uint32_t id) {
  std::shared_ptr<LocalConsumer> unheard;  // Released outside of the mutex.
  const std::lock_guard lock(mutex_);
  if (!local_.contains(id)) return;  // It was refused.
  const auto announces = [id](const wire::RdmaPacket& letter) {
    const auto* const terms = std::get_if<wire::RdmaConsumer>(&letter);
    return terms != nullptr && terms->id == id;
  };
  // What was not heard of need not end.
  if (std::erase_if(outbox_, announces) != 0) {
    unheard = forget(id);
    return;
  }
  ended_.insert(id);
  say(wire::RdmaConsumerEnd{id});
}

// With the mutex held. The other side writes nothing to it any more; null: it is not there.
std::shared_ptr<LocalConsumer> Hub::forget(std::uint32_t id) {
  auto node = local_.extract(id);
  ended_.erase(id);
  return node.empty() ? nullptr : std::move(node.mapped());
}

void Hub::lane_over(std::uint32_t consumer, std::uint32_t number, std::uint32_t messages) {
  const std::lock_guard lock(mutex_);
  say(wire::RdmaLaneOver{consumer, number, messages});
}

bool Courier::takes(const wire::RdmaPacket& letter) {
  std::array<std::byte, wire::kMaxPacket> buffer;
  const std::size_t size = wire::encode(letter, buffer);
  const Status sent = send_letter(std::span(buffer).first(size));
  // Whoever cannot be reached at all is noticed to be gone elsewhere.
  return sent || sent.error().code != Errc::again;
}

bool Hub::flush(Courier& courier) {
  const std::lock_guard lock(mutex_);
  while (!outbox_.empty()) {
    if (!courier.takes(outbox_.front())) return true;
    outbox_.pop_front();
  }
  return false;
}

// --- Consumers of the other machine, and lanes to them -------------------------------------

std::shared_ptr<RemoteConsumer> Hub::find(std::uint32_t id) const {
  const std::lock_guard lock(mutex_);
  const auto it = remote_.find(id);
  return it == remote_.end() || !it->second->lanes.told ? nullptr : it->second;
}

std::vector<std::uint32_t> Hub::remote_ids() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::uint32_t> ids;
  for (const auto& [id, consumer] : remote_) {
    if (consumer->lanes.told) ids.push_back(id);
  }
  return ids;
}

// With the mutex held: one lane for each producer there is, and for the next; where they are small
// for two, who then send at once.
bool Hub::wants_more(const RemoteConsumer& consumer) const {
  constexpr std::uint64_t kSmall = std::uint64_t{64} << 10U;  // Picked: a pinned page or ten.
  const RemoteConsumer::Lanes& lanes = consumer.lanes;
  const auto producers = std::ranges::count(ports_, Kind::kProducer, &Port::kind);
  const std::ptrdiff_t more = consumer.shape.size() <= kSmall ? 2 : 1;
  const auto wanted = std::min(static_cast<std::size_t>(producers + more), kMaxPorts);
  return !closed_ && !consumer.gone() &&
         lanes.wanted.size() + lanes.spare.size() + lanes.out < wanted;
}

Status Hub::want_lane(RemoteConsumer& consumer) {
  std::uint32_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    number = ++consumer.lanes.last_number;
  }
  Result<LaneParts> made = consumer.make_lane(number);
  if (!made) return std::unexpected(made.error());
  const std::lock_guard lock(mutex_);
  if (consumer.gone()) return {};
  say(wire::RdmaLane{consumer.terms.id, number, made->link->self()});
  consumer.lanes.wanted.emplace(number, std::move(*made));
  return {};
}

// As many as are wanted. One that cannot be made is asked for again when a producer needs it.
void Hub::want_lanes(RemoteConsumer& consumer) {
  const auto wants = [&] {
    const std::lock_guard lock(mutex_);
    return wants_more(consumer);
  };
  while (wants()) {
    const Status wanted = want_lane(consumer);
    if (wanted) continue;
    return comch::say(LogLevel::kError, "no lane to consumer {} of a peer: {}", consumer.terms.id,
                      describe(wanted.error()));
  }
}

void Hub::want_lanes_for_all() {
  std::vector<std::shared_ptr<RemoteConsumer>> all;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, consumer] : remote_) all.push_back(consumer);
  }
  for (const auto& consumer : all) want_lanes(*consumer);
}

Result<LaneParts> Hub::take_lane(RemoteConsumer& consumer) {
  bool more = false;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return fail(Errc::connection_reset, "the connection has ended");
    if (!consumer.lanes.spare.empty()) {
      LaneParts lane = std::move(consumer.lanes.spare.back());
      consumer.lanes.spare.pop_back();
      ++consumer.lanes.out;
      consumer.lanes.awaited = false;  // Whoever else waits was rung, and asks again.
      return lane;
    }
    if (const auto why = std::exchange(consumer.lanes.refused, std::nullopt)) {
      return fail(*why, "the consumer's machine has no lane to give; its log says why");
    }
    consumer.lanes.awaited = true;
    more = wants_more(consumer);
  }
  if (more) {
    if (Status wanted = want_lane(consumer); !wanted) return std::unexpected(wanted.error());
  }
  return fail(Errc::again, "the way to the consumer is being made; try again after progress()");
}

bool Hub::has_refused(std::uint32_t consumer) const {
  const std::lock_guard lock(mutex_);
  const auto it = remote_.find(consumer);
  return it != remote_.end() && it->second->lanes.refused;
}

void Hub::give_back(RemoteConsumer& consumer, LaneParts lane) {
  const std::lock_guard lock(mutex_);
  --consumer.lanes.out;
  if (closed_) return;
  if (lane.link->failure() || consumer.gone()) {
    say(wire::RdmaLaneEnd{consumer.terms.id, lane.number});
    consumer.lanes.lost.emplace(lane.number, LostMessages{lane.position, std::move(lane.sent)});
  } else {
    consumer.lanes.spare.push_back(std::move(lane));
  }
  done_if_empty(consumer);
}

// With the mutex held. Of one that is gone, when no producer writes to it any more.
void Hub::done_if_empty(const RemoteConsumer& consumer) {
  if (consumer.gone() && consumer.lanes.out == 0) say(wire::RdmaConsumerDone{consumer.terms.id});
}

std::vector<std::uint32_t> Hub::close() {
  std::map<std::uint32_t, std::shared_ptr<RemoteConsumer>> remote;
  std::map<std::uint32_t, std::shared_ptr<LocalConsumer>> local;
  std::vector<std::uint32_t> ids;
  const std::lock_guard lock(mutex_);
  if (std::exchange(closed_, true)) return {};
  remote.swap(remote_);
  local.swap(local_);
  ended_.clear();
  outbox_.clear();
  for (const auto& [id, consumer] : remote) {
    consumer->set_gone();
    consumer->lanes.wanted.clear();
    consumer->lanes.spare.clear();
    if (consumer->lanes.told) ids.push_back(id);
  }
  for (const Port& port : ports_) port.rings->signal();
  return ids;
}

}  // namespace comch::transport::rdma
