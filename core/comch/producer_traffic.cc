// ProducerImpl: what is not complete at once: messages under way and behind them, buffers that
// are handed over, and waiting for room.
#include <utility>

#include "comch/producer_impl.h"
#include "engine/engine.h"

namespace comch {

using transport::shm::Outcome;
using transport::shm::OutLane;

void ProducerImpl::update_attention() {
  if (!port_) return;
  if (traffic_.empty()) {
    engine()->remove(*this);
  } else {
    engine()->make_hot(*this);
  }
}

bool ProducerImpl::poll() {
  bool did = false;
  in_poll_ = true;
  for (auto it = traffic_.begin(); it != traffic_.end();) {
    // Callbacks may add traffic, which moves no entry; only this loop takes one out.
    did = poll_one(it->first, it->second) || did;
    it = it->second.over() ? traffic_.erase(it) : std::next(it);
  }
  in_poll_ = false;
  if (traffic_.empty()) {
    engine()->remove(*this);
    relax();  // Nothing is waited for; see OutLane.
  }
  if (state() == ContextState::kStopping) request_work();
  return did;
}

bool ProducerImpl::poll_one(std::uint32_t consumer, Traffic& traffic) {
  OutLane* lane = port_->lane_if_any(consumer);
  if (lane == nullptr) {
    fail_all(traffic, Error{Errc::connection_reset, 0, "the consumer is gone"});
    return_all(traffic);
    return true;
  }
  bool did = take_returned(*lane, traffic);
  did = finish_sends(*lane, traffic) || did;
  if (lane->gone()) {
    return_all(traffic);
    port_->drop(consumer);
    return true;
  }
  did = send_waiting(*lane, traffic) || did;
  if (traffic.space_wanted && lane->has_space()) {
    traffic.space_wanted = false;
    tell_of_space(ConsumerId{consumer});
    did = true;
  }
  return did;
}

bool ProducerImpl::finish_sends(OutLane& lane, Traffic& traffic) {
  const std::optional<std::size_t> completed = lane.step();
  if (!completed) {
    const bool any = !traffic.under_way.empty() || !traffic.waiting.empty();
    fail_all(traffic, lane.failure());
    if (any) port_->ring_siblings();  // What the lane had in hand may be theirs now.
    return any;
  }
  for (std::size_t n = 0; n < *completed; ++n) {
    if (std::exchange(traffic.array_under_way, false)) continue;
    if (ProducerTaskImpl* task = traffic.under_way.pop_front()) complete(*task, std::nullopt);
  }
  if (*completed != 0 && state() == ContextState::kStopping) {
    engine()->set_alarm(*this, engine()->now_ns() + kLinger_ns);
    request_work();
  }
  return *completed != 0;
}

bool ProducerImpl::send_waiting(OutLane& lane, Traffic& traffic) {
  bool did = false;
  while (ProducerTaskImpl* task = traffic.waiting.front()) {
    const Outcome outcome = put(lane, *task);
    if (outcome == Outcome::kBusy || outcome == Outcome::kNothingPosted) break;
    traffic.waiting.remove(*task);
    did = true;
    if (outcome == Outcome::kUnderWay) {
      traffic.under_way.push_back(*task);
    } else if (outcome == Outcome::kSent) {
      complete(*task, std::nullopt);
    } else {
      complete(*task, refused(lane, outcome).error());
    }
  }
  return did;
}

bool ProducerImpl::take_returned(OutLane& lane, Traffic& traffic) {
  bool did = false;
  while (const std::optional<std::uint32_t> handle = lane.take_returned()) {
    auto node = traffic.handed.extract(*handle);
    lane.release_handle(*handle);
    --handed_over_;
    did = true;
    on_returned_(static_cast<Producer&>(face()), *node.mapped());
  }
  return did;
}

void ProducerImpl::fail_all(Traffic& traffic, const Error& error) {
  traffic.array_under_way = false;
  while (ProducerTaskImpl* task = traffic.under_way.pop_front()) complete(*task, error);
  while (ProducerTaskImpl* task = traffic.waiting.pop_front()) complete(*task, error);
}

void ProducerImpl::return_all(Traffic& traffic) {
  for (const auto& [handle, buffer] : std::exchange(traffic.handed, {})) {
    --handed_over_;
    if (on_returned_) on_returned_(static_cast<Producer&>(face()), *buffer);
  }
  traffic.space_wanted = false;
}

void ProducerImpl::give_up(const Error& error) {
  for (auto& [id, traffic] : traffic_) {
    fail_all(traffic, error);
    const OutLane* lane = port_->lane_if_any(id);
    // What it was copying is the application's again.
    if (lane != nullptr && lane->under_way()) port_->drop(id);
  }
  request_work();
}

// --- Sleeping ----------------------------------------------------------------------------

bool ProducerImpl::arm() {
  bool barrier = false;
  port_->for_each([&](std::uint32_t, OutLane& lane) { barrier = lane.arm() || barrier; });
  return barrier;
}

void ProducerImpl::disarm() {
  port_->for_each([](std::uint32_t, OutLane& lane) { lane.disarm(); });
}

void ProducerImpl::relax() {
  port_->for_each([](std::uint32_t, OutLane& lane) { lane.relax(); });
}

bool ProducerImpl::ready() {
  for (const auto& [consumer, traffic] : traffic_) {
    OutLane* lane = port_->lane_if_any(consumer);
    if (lane == nullptr) return true;
    const bool for_space = traffic.space_wanted || !traffic.waiting.empty();
    if (lane->ready(for_space)) return true;
  }
  return false;
}

}  // namespace comch
