// RdmaProducerImpl: what is not over: messages under way and behind them, and waiting for room.
#include <algorithm>
#include <utility>

#include "comch/rdma_producer.h"
#include "engine/engine.h"

namespace comch {

using transport::rdma::Outcome;
using transport::rdma::OutLane;

void RdmaProducerImpl::update_attention() {
  if (!port_) return;
  if (traffic_.empty()) {
    engine()->remove(*this);
  } else {
    engine()->make_hot(*this);
  }
}

RdmaProducerImpl::Traffic& RdmaProducerImpl::traffic_of(std::uint32_t consumer) {
  if (traffic_.empty()) engine()->make_hot(*this);
  return traffic_[consumer];
}

bool RdmaProducerImpl::queued(std::uint32_t consumer) const {
  const auto it = traffic_.find(consumer);
  return it != traffic_.end() && !it->second.waiting.empty();
}

bool RdmaProducerImpl::over(std::uint32_t consumer, const Traffic& traffic) const {
  if (!traffic.under_way.empty() || !traffic.waiting.empty() || traffic.array_behind ||
      traffic.space_wanted) {
    return false;
  }
  const OutLane* const lane = port_->lane_if_any(consumer);
  return lane == nullptr || lane->settled();
}

bool RdmaProducerImpl::poll() {
  bool did = false;
  in_poll_ = true;
  for (auto it = traffic_.begin(); it != traffic_.end();) {
    // Callbacks may add traffic, which moves no entry; only this loop takes one out.
    did = poll_one(it->first, it->second) || did;
    it = over(it->first, it->second) ? traffic_.erase(it) : std::next(it);
  }
  in_poll_ = false;
  if (traffic_.empty()) engine()->remove(*this);
  if (state() == ContextState::kStopping) request_work();
  return did;
}

bool RdmaProducerImpl::poll_one(std::uint32_t consumer, Traffic& traffic) {
  OutLane* lane = port_->lane_if_any(consumer);
  if (lane == nullptr) {
    const bool did = !traffic.under_way.empty() || !traffic.waiting.empty();
    fail_all(traffic, Error{Errc::connection_reset, 0, "the consumer is gone"});
    return offer_space(consumer, lane, traffic) || did;
  }
  bool did = finish_sends(*lane, traffic);
  if (lane->gone()) {
    port_->drop(consumer);
    return true;
  }
  did = send_waiting(*lane, traffic) || did;
  return offer_space(consumer, lane, traffic) || did;
}

// `lane`: null where there is none yet; it may have become possible.
bool RdmaProducerImpl::offer_space(std::uint32_t consumer, OutLane* lane, Traffic& traffic) {
  if (!traffic.space_wanted) return false;
  if (lane == nullptr) {
    const Result<OutLane*> made = port_->lane(consumer);
    // A consumer that ends is told of by on_consumer() alone.
    if (!made && made.error().code != Errc::again) traffic.space_wanted = false;
    if (!made) return !traffic.space_wanted;
    lane = *made;
  }
  if (!lane->has_space()) return false;
  traffic.space_wanted = false;
  tell_of_space(ConsumerId{consumer});
  return true;
}

void RdmaProducerImpl::add_under_way(Traffic& traffic, ProducerTaskImpl& task) {
  traffic.under_way.push_back(task);
  ++traffic.under_way_count;
}

// The oldest message under way is complete: an array's, or a task's.
void RdmaProducerImpl::complete_first(Traffic& traffic) {
  if (traffic.array_behind == std::size_t{0}) return traffic.array_behind.reset();
  ProducerTaskImpl* const task = traffic.under_way.pop_front();
  if (task == nullptr) return;
  --traffic.under_way_count;
  if (traffic.array_behind) --*traffic.array_behind;
  complete(*task, std::nullopt);
}

bool RdmaProducerImpl::finish_sends(OutLane& lane, Traffic& traffic) {
  const std::optional<std::size_t> completed = lane.step();
  if (!completed) {
    const bool any = !traffic.under_way.empty() || !traffic.waiting.empty();
    fail_all(traffic, lane.failure());
    return any;
  }
  for (std::size_t n = 0; n < *completed; ++n) complete_first(traffic);
  if (*completed != 0 && state() == ContextState::kStopping) {
    engine()->set_alarm(*this, engine()->now_ns() + kLinger_ns);
    request_work();
  }
  return *completed != 0;
}

bool RdmaProducerImpl::send_waiting(OutLane& lane, Traffic& traffic) {
  bool did = false;
  while (ProducerTaskImpl* task = traffic.waiting.front()) {
    const Outcome outcome = put(lane, *task);
    if (outcome == Outcome::kBusy || outcome == Outcome::kNothingPosted) break;
    traffic.waiting.remove(*task);
    did = true;
    if (outcome == Outcome::kUnderWay) {
      add_under_way(traffic, *task);
    } else {
      complete(*task, refused(lane, outcome).error());
    }
  }
  return did;
}

void RdmaProducerImpl::fail_all(Traffic& traffic, const Error& error) {
  traffic.array_behind.reset();
  traffic.under_way_count = 0;
  while (ProducerTaskImpl* task = traffic.under_way.pop_front()) complete(*task, error);
  while (ProducerTaskImpl* task = traffic.waiting.pop_front()) complete(*task, error);
}

void RdmaProducerImpl::give_up(const Error& error) {
  for (auto& [id, traffic] : traffic_) {
    fail_all(traffic, error);
    traffic.space_wanted = false;
    const OutLane* lane = port_->lane_if_any(id);
    // What the device was reading is the application's again.
    if (lane != nullptr && !lane->settled()) port_->drop(id);
  }
  if (!in_poll_) traffic_.clear();
  update_attention();
  request_work();
}

// --- Sleeping ----------------------------------------------------------------------------

bool RdmaProducerImpl::arm() {
  for (const auto& [consumer, traffic] : traffic_) {
    OutLane* const lane = port_->lane_if_any(consumer);
    if (lane != nullptr) lane->arm(traffic.space_wanted || !traffic.waiting.empty());
  }
  return false;
}

bool RdmaProducerImpl::ready() {
  for (const auto& [consumer, traffic] : traffic_) {
    OutLane* const lane = port_->lane_if_any(consumer);
    if (lane == nullptr) {
      // A lane that is wanted: the port is told when it comes.
      if (!traffic.under_way.empty() || !traffic.waiting.empty()) return true;
      continue;
    }
    if (lane->gone() || lane->ready(traffic.space_wanted || !traffic.waiting.empty())) return true;
  }
  return false;
}

}  // namespace comch
