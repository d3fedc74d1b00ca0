// ProducerImpl: its life, and tasks. producer_sends.cc has the sends that need none,
// producer_traffic.cc what is not complete at once.
#include "comch/producer_impl.h"

#include <algorithm>
#include <utility>

namespace comch {

using transport::Outcome;
using transport::shm::SharedMemory;

// --- Life --------------------------------------------------------------------------------

Status ProducerImpl::on_returned(Producer::ReturnHandler handler) {
  const Status s = require_idle();
  if (s) on_returned_ = std::move(handler);
  return s;
}

ProducerCounters ProducerImpl::count() const {
  const transport::shm::LaneCounters lanes = port_->counters();
  return {.sent_messages = lanes.messages(),
          .sent_bytes = lanes.bytes,
          .inline_messages = lanes.in_slot,
          .mapped_messages = lanes.mapped,
          .staged_messages = lanes.staged,
          .cma_messages = lanes.cma,
          .cooperative_messages = lanes.cooperative,
          .loaned_messages = lanes.loaned,
          .handed_over_messages = lanes.handed_over,
          .nothing_posted = nothing_posted_,
          .wakes_sent = lanes.wakes_sent};
}

Result<bool> ProducerImpl::on_start() {
  if (Status s = take_tasks(&ProducerTaskImpl::producer, this); !s)
    return std::unexpected(s.error());
  waits_for_returns_ = true;
  return open({.staging = staging_,
               .cooperative = cooperative_,
               .slots = lane_size_,
               .handles = on_returned_ ? Producer::kMaxHandedOver : 0});
}

void ProducerImpl::on_stop(bool deliver) {
  // What is in a lane has been said to be sent.
  if (deliver || gathering_.any_in_lane()) flush();
  waits_for_returns_ = deliver;
  PortProducer::on_stop(deliver);
}

bool ProducerImpl::on_work() {
  flush();
  if (!waits_for_returns_) return_unawaited();
  return PortProducer::on_work();
}

bool ProducerImpl::drained() const {
  return !in_poll_ && tasks_.in_use() == 0 && completions_.empty() && handed_over_ == 0 &&
         std::ranges::none_of(
             traffic_, [](const auto& entry) { return entry.second.array_behind.has_value(); });
}

void ProducerImpl::on_cut_off() {
  handed_over_ = 0;
  gathering_.take();
  PortProducer::on_cut_off();
}

// --- Tasks -------------------------------------------------------------------------------

Status ProducerImpl::find_other_lane(ConsumerId consumer, Lane*& lane) {
  flush();
  return PortProducer::find_lane(consumer, lane);
}

std::optional<SharedMemory> ProducerImpl::source_of(const BufferImpl* buffer) const {
  if (buffer == nullptr || cooperative_ == 0 || buffer->data_length() < cooperative_) {
    return std::nullopt;
  }
  const MemoryMapImpl& map = buffer->map();
  if (map.memfd() == nullptr || !others_may_read(map.permissions())) return std::nullopt;
  return SharedMemory{&map.life(), map.memfd(), map.memfd_offset(), map.bytes()};
}

Outcome ProducerImpl::put(Lane& lane, ProducerTaskImpl& task) {
  const std::optional<SharedMemory> source = source_of(task.buffer);
  const Outcome outcome =
      lane.put(task.data(), task.immediate_bytes(), source ? &*source : nullptr);
  if (outcome == Outcome::kSent || outcome == Outcome::kUnderWay) lane.publish();
  return outcome;
}

Status ProducerImpl::submit(ProducerTaskImpl& task) {
  if (task.state != TaskState::kAllocated) {
    return fail(Errc::bad_state, "the task is submitted already, or free");
  }
  Lane* lane = nullptr;
  if (Status found = find_lane(ConsumerId{task.consumer}, lane); !found) return found;
  const Outcome outcome = put_any(*lane, task);
  if (outcome != Outcome::kSent) {
    return_ahead(*lane);
    return refused(*lane, outcome);
  }
  accept(task);
  return {};
}

bool ProducerImpl::try_submit(ProducerTaskImpl& task) {
  Lane* lane = nullptr;
  if (task.state != TaskState::kAllocated || !find_lane(ConsumerId{task.consumer}, lane)) {
    return false;
  }
  const bool is_sent = put_any(*lane, task) == Outcome::kSent;
  if (is_sent) {
    accept(task);
  } else {
    return_ahead(*lane);
  }
  return is_sent;
}

bool ProducerImpl::send_one(Lane& lane, Bytes data) {
  if (!lane.send_one(data)) return false;
  port_->note_sent(lane);
  return true;
}

bool ProducerImpl::submit_one(Lane& lane, ProducerTaskImpl& task) {
  if (!lane.send_one(task.data())) return false;
  port_->note_sent(lane);
  accept(task);
  complete(task, std::nullopt);
  return true;
}

Outcome ProducerImpl::put_any(Lane& lane, ProducerTaskImpl& task) {
  const Outcome outcome = queued(task.consumer) ? Outcome::kBusy : put(lane, task);
  if (outcome == Outcome::kSent) {
    complete(task, std::nullopt);
  } else if (outcome == Outcome::kUnderWay) {
    traffic_[task.consumer].add_under_way(task);
    update_attention();
  } else if (outcome == Outcome::kBusy) {
    // Any number: whoever is told to try again may do so without progress, and this clears by it.
    let_wait(task);
  } else {
    return outcome;
  }
  return Outcome::kSent;
}

void ProducerImpl::let_wait(ProducerTaskImpl& task) {
  task.keep_immediate();
  traffic_[task.consumer].waiting.push_back(task);
  update_attention();
}

// --- Gathered ----------------------------------------------------------------------------

bool ProducerImpl::begin_gathering(const ProducerTaskImpl& task) {
  Lane* const lane = usual_lane(ConsumerId{task.consumer});
  if (lane == nullptr) return false;
  const Lane::Ahead ahead = lane->look_ahead(Gathering::kMost);
  if (ahead.messages == 0 || task.data().size() > ahead.bytes) {
    return_ahead(*lane);
    return false;
  }
  gathering_.begin(task.consumer, ahead.messages, ahead.bytes);
  request_work();
  return true;
}

bool ProducerImpl::put_more(ProducerTaskImpl& task) {
  const Bytes data = task.data();
  if (data.size() > Gathering::kLongestInLane) return false;
  const bool is_first = !gathering_.takes_in_lane(task.consumer);
  const ConsumerId consumer{task.consumer};
  Lane* const lane = is_first ? usual_lane(consumer) : port_->last_lane(task.consumer);
  if (lane == nullptr || !lane->put_more(data)) return false;
  accept(task);
  complete(task, std::nullopt);
  if (is_first) {
    gathering_.begin_in_lane(task.consumer, lane->most_together());
    request_work();
  }
  if (gathering_.add_in_lane()) {
    gathering_.take();
    lane->publish();
    port_->note_sent(*lane);
  }
  return true;
}

void ProducerImpl::send_gathered() {
  const std::span<ProducerTaskImpl* const> tasks = gathering_.take();
  Lane* const lane = port_->lane_if_any(gathering_.consumer());
  std::size_t sent = 0;
  if (lane != nullptr) [[likely]] {
    const auto data = [from = tasks.data()](std::size_t n) { return from[n]->data(); };
    sent = lane->put_small(tasks.size(), data).messages;
    lane->publish();
    return_ahead(*lane);
  }
  for (ProducerTaskImpl* task : tasks.first(sent)) completions_.push_back(*task);
  for (ProducerTaskImpl* task : tasks.subspan(sent)) send_late(lane, *task);
  request_work();
}

// Of a task that is accepted, and that there was room for when it was. The consumer may be gone
// since, or a second producer have come that was faster.
void ProducerImpl::send_late(Lane* lane, ProducerTaskImpl& task) {
  if (lane == nullptr) {
    return complete(task, Error{Errc::invalid_value, 0, "the consumer is gone"});
  }
  const Outcome outcome = put_any(*lane, task);
  if (outcome == Outcome::kSent) return;
  if (outcome == Outcome::kNothingPosted) return let_wait(task);
  return_ahead(*lane);
  complete(task, refused(*lane, outcome).error());
}

}  // namespace comch
