// RdmaProducerImpl: what is not over: messages under way and behind them, and waiting for room.
#include <algorithm>
#include <utility>

#include "comch/rdma_producer.h"
#include "engine/engine.h"

namespace comch {

Traffic& RdmaProducerImpl::traffic_of(std::uint32_t consumer) {
  if (traffic_.empty()) engine()->make_hot(*this);
  return traffic_[consumer];
}

bool RdmaProducerImpl::over(std::uint32_t consumer, const Traffic& traffic) const {
  if (!traffic.over()) return false;
  const Lane* const lane = port_->lane_if_any(consumer);
  return lane == nullptr || lane->over();
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
  if (state() == ContextState::kStopping && drained()) request_work();
  return did;
}

bool RdmaProducerImpl::poll_one(std::uint32_t consumer, Traffic& traffic) {
  Lane* lane = port_->lane_if_any(consumer);
  if (lane == nullptr) {
    const bool did = traffic.any_message();
    fail_all(consumer, traffic, kGone);
    return offer_space(consumer, lane, traffic) || did;
  }
  bool did = finish_sends(consumer, *lane, traffic);
  if (lane->gone()) {
    // A loan keeps it: what is under way still ends, and what waits is refused.
    traffic.space_wanted = false;
    if (!lane->lends()) {
      port_->drop(consumer);
      return true;
    }
  }
  const auto again = [&](ProducerTaskImpl& task) { return put(*lane, task); };
  did = send_waiting(*lane, traffic, again) || did;
  return offer_space(consumer, lane, traffic) || did;
}

// `lane`: null where there is none yet; it may have become possible. Where it has become impossible
// the application is told to send, and its send says why: so a refusal is left to that.
bool RdmaProducerImpl::offer_space(std::uint32_t consumer, Lane* lane, Traffic& traffic) {
  if (!traffic.space_wanted) return false;
  if (lane == nullptr && !port_->is_refused(consumer)) {
    const Result<Lane*> made = port_->lane(consumer);
    if (!made && made.error().code == Errc::again) return false;
    lane = made.value_or(nullptr);
  }
  if (lane != nullptr && !lane->has_space()) return false;
  traffic.space_wanted = false;
  // A consumer that ends is told of by on_consumer() alone.
  if (lane != nullptr || port_->knows(consumer)) tell_of_space(ConsumerId{consumer});
  return true;
}

void RdmaProducerImpl::give_up(const Error& error) {
  for (auto& [id, traffic] : traffic_) {
    fail_all(id, traffic, error);
    traffic.space_wanted = false;
    const Lane* lane = port_->lane_if_any(id);
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
    Lane* const lane = port_->lane_if_any(consumer);
    if (lane != nullptr) lane->arm(traffic.wants_space());
  }
  return false;
}

bool RdmaProducerImpl::ready() {
  for (const auto& [consumer, traffic] : traffic_) {
    Lane* const lane = port_->lane_if_any(consumer);
    if (lane == nullptr) {
      // A lane that is wanted: the port is told when it comes.
      if (traffic.any_message()) return true;
      continue;
    }
    if (lane->gone() || lane->ready(traffic.wants_space())) return true;
  }
  return false;
}

}  // namespace comch
