// ProducerImpl: what is not complete at once: messages under way and behind them, buffers that
// are handed over, and waiting for room.
#include <utility>

#include "comch/producer_impl.h"
#include "engine/engine.h"

namespace comch {

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
  if (state() == ContextState::kStopping && drained()) request_work();
  return did;
}

bool ProducerImpl::poll_one(std::uint32_t consumer, Traffic& traffic) {
  bool did = take_returned(consumer, traffic);
  Lane* lane = port_->lane_if_any(consumer);
  if (lane == nullptr && traffic.space_wanted) {
    const Result<Lane*> made = port_->lane(consumer);
    if (!made && made.error().code == Errc::again) return did;
    if (made) lane = *made;
  }
  if (lane == nullptr) {
    // What keeps it from having one the next send says.
    const bool is_told = traffic.space_wanted && port_->knows(consumer);
    fail_all(consumer, traffic, kGone);
    return_all(consumer, traffic, kGone);
    if (is_told) tell_of_space(ConsumerId{consumer});
    return true;
  }
  did = finish_sends(consumer, *lane, traffic) || did;
  if (lane->gone()) {
    return_all(consumer, traffic, kGone);
    drop_unless_it_lends(consumer);
    return true;
  }
  if (!lane->gives_back() && !traffic.handed.empty()) {
    return_all(consumer, traffic, lane->failure());
    return true;
  }
  const auto again = [&](ProducerTaskImpl& task) { return put(*lane, task); };
  did = send_waiting(*lane, traffic, again) || did;
  return_ahead(*lane);
  if (traffic.space_wanted && lane->has_space()) {
    traffic.space_wanted = false;
    tell_of_space(ConsumerId{consumer});
    did = true;
  }
  return did;
}

bool ProducerImpl::take_returned(std::uint32_t consumer, Traffic& traffic) {
  for (bool did = false;; did = true) {
    // Looked up each time: the callback may abort(), which takes the lane apart.
    Lane* lane = port_->lane_if_any(consumer);
    const auto handle = lane != nullptr ? lane->take_returned() : std::nullopt;
    if (!handle) return did;
    Buffer* const buffer = traffic.handed.take(*handle);
    if (buffer == nullptr) continue;  // Returned without it: the lane is kept for a loan alone.
    lane->release_handle(*handle);
    --handed_over_;
    on_returned_(static_cast<Producer&>(face()), ConsumerId{consumer}, *buffer, Status());
  }
}

void ProducerImpl::return_all(std::uint32_t consumer, Traffic& traffic, const Error& error) {
  traffic.space_wanted = false;
  // Given back ahead of what ends it.
  take_returned(consumer, traffic);
  const Status why = std::unexpected(error);
  traffic.handed.take_all([&](std::uint32_t handle, Buffer& buffer) {
    if (Lane* lane = port_->lane_if_any(consumer)) lane->release_handle(handle);
    --handed_over_;
    on_returned_(static_cast<Producer&>(face()), ConsumerId{consumer}, buffer, why);
  });
}

void ProducerImpl::return_unawaited() {
  // The peer, or abort().
  const Error why = failure().text.empty() ? Error{Errc::shutdown, 0, "the producer was aborted"}
                                           : failure().error;
  for (auto& [id, traffic] : traffic_) {
    const bool had_some = !traffic.handed.empty();
    return_all(id, traffic, why);
    if (had_some) drop_unless_it_lends(id);
  }
}

void ProducerImpl::drop_unless_it_lends(std::uint32_t consumer) {
  const Lane* const lane = port_->lane_if_any(consumer);
  if (lane != nullptr && !lane->lends()) port_->drop(consumer);
}

void ProducerImpl::give_up(const Error& error) {
  for (ProducerTaskImpl* task : gathering_.take()) complete(*task, error);
  if (Lane* const lane = port_->lane_if_any(gathering_.consumer())) return_ahead(*lane);
  for (auto& [id, traffic] : traffic_) {
    Lane* const lane = port_->lane_if_any(id);
    if (lane != nullptr) complete_first(lane->take_taken(), traffic);
    fail_all(id, traffic, error);
    if (lane == nullptr || !lane->under_way()) continue;
    // What it was copying is the application's again.
    if (lane->lends() || !traffic.handed.empty()) {
      // A loan's room stays writable until we are idle, and what is handed over may come back.
      lane->break_off(error);
    } else {
      port_->drop(id);
      port_->ring_siblings();  // What it had in hand is theirs now.
    }
  }
  request_work();
}

// --- Sleeping ----------------------------------------------------------------------------

bool ProducerImpl::arm() {
  bool barrier = false;
  port_->for_each([&](std::uint32_t id, Lane& lane) {
    const auto traffic = traffic_.find(id);
    const bool for_space = traffic != traffic_.end() && traffic->second.wants_space();
    barrier = lane.arm(for_space) || barrier;
  });
  return barrier;
}

void ProducerImpl::disarm() {
  port_->for_each([](std::uint32_t, Lane& lane) { lane.disarm(); });
}

void ProducerImpl::relax() {
  port_->for_each([](std::uint32_t, Lane& lane) { lane.relax(); });
}

bool ProducerImpl::ready() {
  for (const auto& [consumer, traffic] : traffic_) {
    Lane* lane = port_->lane_if_any(consumer);
    if (lane == nullptr) return true;
    if (lane->ready(traffic.wants_space())) return true;
  }
  return false;
}

}  // namespace comch
