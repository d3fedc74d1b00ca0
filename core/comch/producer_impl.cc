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
  return open({.staging = staging_,
               .cooperative = cooperative_,
               .slots = lane_size_,
               .handles = on_returned_ ? Producer::kMaxHandedOver : 0});
}

bool ProducerImpl::drained() const {
  return !in_poll_ && tasks_.in_use() == 0 && completions_.empty() &&
         std::ranges::none_of(
             traffic_, [](const auto& entry) { return entry.second.array_behind.has_value(); });
}

void ProducerImpl::on_idle() {
  for (auto& [id, traffic] : traffic_) return_all(traffic);
  PortProducer::on_idle();
}

void ProducerImpl::on_cut_off() {
  handed_over_ = 0;
  PortProducer::on_cut_off();
}

// --- Tasks -------------------------------------------------------------------------------

std::optional<SharedMemory> ProducerImpl::source_of(const BufferImpl* buffer) const {
  if (buffer == nullptr || cooperative_ == 0 || buffer->data_length() < cooperative_) {
    return std::nullopt;
  }
  const MemoryMapImpl& map = buffer->map();
  if (map.memfd() == nullptr || !others_may_read(map.permissions())) return std::nullopt;
  return SharedMemory{static_cast<std::uint64_t>(map.id()), map.memfd(), map.memfd_offset(),
                      map.bytes()};
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
  return outcome == Outcome::kSent ? Status() : refused(*lane, outcome);
}

bool ProducerImpl::try_submit(ProducerTaskImpl& task) {
  Lane* lane = nullptr;
  return task.state == TaskState::kAllocated && find_lane(ConsumerId{task.consumer}, lane) &&
         put_any(*lane, task) == Outcome::kSent;
}

Outcome ProducerImpl::put_any(Lane& lane, ProducerTaskImpl& task) {
  const Outcome outcome = queued(task.consumer) ? Outcome::kBusy : put(lane, task);
  if (outcome == Outcome::kSent) {
    complete_soon(task);
    return Outcome::kSent;
  }
  if (outcome == Outcome::kUnderWay) {
    traffic_[task.consumer].add_under_way(task);
  } else if (outcome == Outcome::kBusy) {
    // Any number: whoever is told to try again may do so without progress, and this clears by it.
    task.keep_immediate();
    traffic_[task.consumer].waiting.push_back(task);
  } else {
    return outcome;
  }
  update_attention();
  accept(task);
  return Outcome::kSent;
}

}  // namespace comch
