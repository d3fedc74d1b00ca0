// ProducerImpl: its life, and tasks. producer_sends.cc has the sends that need none,
// producer_traffic.cc what is not complete at once.
#include "comch/producer_impl.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/pause.h"
#include "comch/endpoint.h"
#include "engine/engine.h"

namespace comch {

using transport::shm::Outcome;
using transport::shm::OutLane;
using transport::shm::ProducerPort;
using transport::shm::SharedMemory;

ProducerImpl::ProducerImpl(Producer& face, ConnectionImpl& connection,
                           std::shared_ptr<transport::shm::Hub> hub)
    : ProducerCore(face), connection_(connection), hub_(std::move(hub)) {}

ProducerImpl::~ProducerImpl() {
  if (engine() != nullptr) {
    engine()->clear_alarm(*this);
    engine()->remove(*this);
  }
  port_.reset();
}

// --- Configuration -----------------------------------------------------------------------

Status ProducerImpl::on_returned(Producer::ReturnHandler handler) {
  const Status s = require_idle();
  if (s) on_returned_ = std::move(handler);
  return s;
}

Status ProducerImpl::set_cooperative_size(std::size_t bytes) {
  if (Status s = require_idle(); !s) return s;
  if (bytes != 0 && bytes < 8192) {
    return fail(Errc::invalid_value, "below 8 KiB one side alone is faster");
  }
  cooperative_ = bytes;
  return {};
}

Status ProducerImpl::set_staging_size(std::size_t bytes) {
  if (Status s = require_idle(); !s) return s;
  if (bytes < (std::size_t{64} << 10U) || bytes > (std::size_t{1} << 30U)) {
    return fail(Errc::invalid_value, "a staging area has 64 KiB to 1 GiB");
  }
  staging_ = std::bit_ceil(bytes);
  return {};
}

Status ProducerImpl::set_lane_size(std::uint32_t messages) {
  if (Status s = require_idle(); !s) return s;
  if (messages == 1 || messages > Consumer::kMaxTasks) {
    return fail(Errc::invalid_value, "a lane has 2 to 8,192 messages, or 0: as many as are posted");
  }
  lane_size_ = messages;
  return {};
}

Status ProducerImpl::check_configuration() {
  if (Status s = require_configured(); !s) return s;
  if (!connection_.endpoint().hears_of_consumers()) {
    return fail(Errc::bad_state, "on_consumer() of the server or client is mandatory");
  }
  return {};
}

ProducerCounters ProducerImpl::counters() const {
  if (!port_) return counters_;
  const transport::shm::LaneCounters lanes = port_->counters();
  return {.sent_messages = lanes.messages,
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

// --- Life --------------------------------------------------------------------------------

Result<bool> ProducerImpl::on_start() {
  if (Status s = take_tasks(&ProducerTaskImpl::producer, this); !s)
    return std::unexpected(s.error());
  const OutLane::Options options{.staging = staging_,
                                 .cooperative = cooperative_,
                                 .slots = lane_size_,
                                 .handles = on_returned_ ? Producer::kMaxHandedOver : 0};
  Result<std::unique_ptr<ProducerPort>> port = ProducerPort::open(*engine(), hub_, options, *this);
  if (!port) return std::unexpected(port.error());
  port_ = std::move(*port);
  nothing_posted_ = 0;
  return true;
}

void ProducerImpl::on_stop(bool deliver) {
  if (!deliver) return give_up(Error{Errc::shutdown, 0, "the producer was stopped"});
  engine()->set_alarm(*this, engine()->now_ns() + kLinger_ns);
  for (auto& [id, traffic] : traffic_) traffic.space_wanted = false;
  update_attention();
}

void ProducerImpl::on_alarm() {
  give_up(Error{Errc::time_out, 0, "the consumer made no progress while the producer stopped"});
}

void ProducerImpl::on_lost(const Error& error) {
  give_up(error);
  fatal(error, error.what);
}

bool ProducerImpl::drained() const {
  return !in_poll_ && tasks_.in_use() == 0 && completions_.empty() &&
         std::ranges::none_of(traffic_,
                              [](const auto& entry) { return entry.second.array_under_way; });
}

void ProducerImpl::on_idle() {
  engine()->clear_alarm(*this);
  engine()->remove(*this);
  for (auto& [id, traffic] : traffic_) return_all(traffic);
  traffic_.clear();
  counters_ = counters();
  port_.reset();
}

void ProducerImpl::on_cut_off() {
  if (!port_) return;
  engine()->clear_alarm(*this);
  engine()->remove(*this);
  traffic_.clear();
  completions_.clear();
  handed_over_ = 0;
  tasks_.for_each_lent([this](ProducerTaskImpl& task) {
    if (task.state != TaskState::kSubmitted) return;
    task.state = TaskState::kAllocated;
    task.fail_with(Error{Errc::shutdown, 0, "the producer was cut off"});
    task_completed();
  });
  port_.reset();
}

// --- Tasks -------------------------------------------------------------------------------

Result<ProducerTask*> ProducerImpl::allocate(const Buffer* buffer, Bytes immediate,
                                             ConsumerId consumer) {
  if (state() != ContextState::kRunning && state() != ContextState::kStopping) {
    return fail(Errc::bad_state, "the producer is not running");
  }
  if (buffer != nullptr && BufferImpl::of(*buffer).references() == 0) {
    return fail(Errc::invalid_value, "the buffer is not lent");
  }
  if (immediate.size() > Consumer::kMaxImmediate) {
    return fail(Errc::invalid_value, "immediate data has at most 256 bytes");
  }
  const Result<ProducerTaskImpl*> task = acquire(immediate, consumer);
  if (!task) return std::unexpected(task.error());
  if (buffer != nullptr) (*task)->buffer = &BufferImpl::of(*buffer);
  return *task;
}

Status ProducerImpl::find_lane(ConsumerId consumer, OutLane*& lane) {
  if (state() == ContextState::kStopping && !failure().text.empty()) {
    return std::unexpected(failure().error);  // The peer.
  }
  if (Status s = require_running(); !s) return s;
  const Result<OutLane*> found = port_->lane(static_cast<std::uint32_t>(consumer));
  if (!found) return std::unexpected(found.error());
  if ((*found)->gone()) return fail(Errc::invalid_value, "the consumer is gone");
  lane = *found;
  return {};
}

std::optional<SharedMemory> ProducerImpl::source_of(const BufferImpl* buffer) const {
  if (buffer == nullptr || cooperative_ == 0 || buffer->data_length() < cooperative_) {
    return std::nullopt;
  }
  const MemoryMapImpl& map = buffer->map();
  if (map.memfd() == nullptr || !others_may_read(map.permissions())) return std::nullopt;
  return SharedMemory{static_cast<std::uint64_t>(map.id()), map.memfd(), map.memfd_offset(),
                      map.bytes()};
}

Status ProducerImpl::refused(OutLane& lane, Outcome outcome) {
  switch (outcome) {
    case Outcome::kNothingPosted:
      ++nothing_posted_;
      // As progress() does: whoever asks in a loop leaves the consumer its line to post in.
      pause();
      return fail(Errc::again, "the consumer has nothing posted");
    case Outcome::kBusy:
      return fail(Errc::again, "earlier messages to this consumer are still under way");
    case Outcome::kTooLong:
      return fail(Errc::invalid_value, "the message is longer than the posted buffer's room");
    case Outcome::kImmediateTooLong:
      return fail(Errc::invalid_value, "the immediate data is longer than the consumer takes");
    case Outcome::kGone:
      return fail(Errc::invalid_value, "the consumer is gone");
    case Outcome::kBroken:
    case Outcome::kSent:
    case Outcome::kUnderWay:
      break;
  }
  return std::unexpected(lane.failure());
}

Outcome ProducerImpl::put(OutLane& lane, ProducerTaskImpl& task) {
  const std::optional<SharedMemory> source = source_of(task.buffer);
  const Outcome outcome =
      lane.put(task.data(), task.immediate_bytes(), source ? &*source : nullptr);
  if (outcome == Outcome::kSent || outcome == Outcome::kUnderWay) lane.publish();
  return outcome;
}

// In both that call it, as put_other(): they come with every message.
[[gnu::always_inline]] inline bool ProducerImpl::put_usual(ProducerTaskImpl& task) {
  OutLane* const lane = usual_lane(ConsumerId{task.consumer});
  if (lane == nullptr || task.immediate_size != 0 || !lane->send_one(task.data())) return false;
  accept(task);
  completions_.push_back(task);
  request_work();
  return true;
}

Status ProducerImpl::submit(ProducerTaskImpl& task) {
  if (task.state != TaskState::kAllocated) {
    return fail(Errc::bad_state, "the task is submitted already, or free");
  }
  if (put_usual(task)) [[likely]]
    return {};
  return submit_other(task);
}

bool ProducerImpl::try_submit(ProducerTaskImpl& task) {
  return task.state == TaskState::kAllocated && (put_usual(task) || try_other(task));
}

// What is not data alone for the consumer of the last one, or has something to wait for.
[[gnu::always_inline]] inline Outcome ProducerImpl::put_other(OutLane& lane,
                                                              ProducerTaskImpl& task) {
  const Outcome outcome = queued(task.consumer) ? Outcome::kBusy : put(lane, task);
  if (outcome == Outcome::kSent) {
    accept(task);
    completions_.push_back(task);
    request_work();
    return Outcome::kSent;
  }
  if (outcome == Outcome::kUnderWay) {
    traffic_of(task.consumer).under_way.push_back(task);
  } else if (outcome == Outcome::kBusy) {
    // Any number: whoever is told to try again may do so without progress, and this clears by it.
    task.keep_immediate();
    traffic_of(task.consumer).waiting.push_back(task);
  } else {
    return outcome;
  }
  update_attention();
  accept(task);
  return Outcome::kSent;
}

Status ProducerImpl::submit_other(ProducerTaskImpl& task) {
  OutLane* lane = nullptr;
  if (Status found = find_lane(ConsumerId{task.consumer}, lane); !found) return found;
  const Outcome outcome = put_other(*lane, task);
  return outcome == Outcome::kSent ? Status() : refused(*lane, outcome);
}

bool ProducerImpl::try_other(ProducerTaskImpl& task) {
  OutLane* lane = nullptr;
  return find_lane(ConsumerId{task.consumer}, lane) && put_other(*lane, task) == Outcome::kSent;
}

}  // namespace comch
