// RdmaProducerImpl: its life, and sends. rdma_traffic.cc has what is under way.
#include "comch/rdma_producer.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/pause.h"
#include "comch/endpoint.h"
#include "engine/engine.h"

namespace comch {

using transport::rdma::Outcome;
using transport::rdma::OutLane;
using transport::rdma::ProducerPort;

RdmaProducerImpl::RdmaProducerImpl(Producer& face, ConnectionImpl& connection,
                                   std::shared_ptr<transport::rdma::Hub> hub)
    : ProducerCore(face), connection_(connection), hub_(std::move(hub)) {}

RdmaProducerImpl::~RdmaProducerImpl() {
  if (engine() != nullptr) {
    engine()->clear_alarm(*this);
    engine()->remove(*this);
  }
  port_.reset();
}

// --- Configuration -----------------------------------------------------------------------

Status RdmaProducerImpl::on_returned(const Producer::ReturnHandler&) { return require_idle(); }

Status RdmaProducerImpl::set_cooperative_size(std::size_t bytes) {
  if (Status s = require_idle(); !s) return s;
  if (bytes != 0 && bytes < 8192) {
    return fail(Errc::invalid_value, "below 8 KiB one side alone is faster");
  }
  return {};
}

Status RdmaProducerImpl::set_staging_size(std::size_t bytes) {
  if (Status s = require_idle(); !s) return s;
  if (bytes < (std::size_t{64} << 10U) || bytes > (std::size_t{1} << 30U)) {
    return fail(Errc::invalid_value, "a staging area has 64 KiB to 1 GiB");
  }
  staging_ = std::bit_ceil(bytes);
  return {};
}

Status RdmaProducerImpl::set_lane_size(std::uint32_t messages) {
  if (Status s = require_idle(); !s) return s;
  if (messages == 1 || messages > Consumer::kMaxTasks) {
    return fail(Errc::invalid_value, "a lane has 2 to 8,192 messages, or 0: as many as are posted");
  }
  return {};
}

Status RdmaProducerImpl::check_configuration() {
  if (Status s = require_configured(); !s) return s;
  if (!connection_.endpoint().hears_of_consumers()) {
    return fail(Errc::bad_state, "on_consumer() of the server or client is mandatory");
  }
  return {};
}

ProducerCounters RdmaProducerImpl::counters() const {
  if (!port_) return counters_;
  const transport::rdma::LaneCounters lanes = port_->counters();
  ProducerCounters now;
  now.sent_messages = lanes.messages;
  now.sent_bytes = lanes.bytes;
  now.inline_messages = lanes.in_slot;
  now.mapped_messages = lanes.direct;
  now.staged_messages = lanes.staged;
  now.loaned_messages = lanes.loaned;
  now.nothing_posted = nothing_posted_;
  now.wakes_sent = lanes.wakes_sent;
  return now;
}

// --- Life --------------------------------------------------------------------------------

Result<bool> RdmaProducerImpl::on_start() {
  if (Status s = take_tasks(&ProducerTaskImpl::rdma, this); !s) return std::unexpected(s.error());
  Result<std::unique_ptr<ProducerPort>> port = ProducerPort::open(*engine(), hub_, staging_, *this);
  if (!port) return std::unexpected(port.error());
  port_ = std::move(*port);
  nothing_posted_ = 0;
  return true;
}

void RdmaProducerImpl::on_stop(bool deliver) {
  if (!deliver) return give_up(Error{Errc::shutdown, 0, "the producer was stopped"});
  engine()->set_alarm(*this, engine()->now_ns() + kLinger_ns);
  for (auto& [id, traffic] : traffic_) traffic.space_wanted = false;
  update_attention();
}

void RdmaProducerImpl::on_alarm() {
  give_up(Error{Errc::time_out, 0, "the consumer made no progress while the producer stopped"});
}

void RdmaProducerImpl::on_lost(const Error& error) {
  give_up(error);
  fatal(error, error.what);
}

// Nothing is under way: neither a task's message nor an array's.
bool RdmaProducerImpl::drained() const {
  return !in_poll_ && tasks_.in_use() == 0 && completions_.empty() && traffic_.empty();
}

void RdmaProducerImpl::on_idle() {
  engine()->clear_alarm(*this);
  engine()->remove(*this);
  counters_ = counters();
  port_.reset();
}

void RdmaProducerImpl::on_cut_off() {
  if (!port_) return;
  engine()->clear_alarm(*this);
  engine()->remove(*this);
  traffic_.clear();
  completions_.clear();
  tasks_.for_each_lent([this](ProducerTaskImpl& task) {
    if (task.state != TaskState::kSubmitted) return;
    task.state = TaskState::kAllocated;
    task.fail_with(Error{Errc::shutdown, 0, "the producer was cut off"});
    task_completed();
  });
  port_.reset();
}

// --- Sends -------------------------------------------------------------------------------

Result<OutLane*> RdmaProducerImpl::find_lane(ConsumerId consumer) {
  if (state() == ContextState::kStopping && !failure().text.empty()) {
    return std::unexpected(failure().error);  // The peer.
  }
  if (Status s = require_running(); !s) return std::unexpected(s.error());
  Result<OutLane*> found = port_->lane(static_cast<std::uint32_t>(consumer));
  if (found && (*found)->gone()) return fail(Errc::invalid_value, "the consumer is gone");
  return found;
}

Status RdmaProducerImpl::refused(const OutLane& lane, Outcome outcome) {
  switch (outcome) {
    case Outcome::kNothingPosted:
      ++nothing_posted_;
      // As progress() does: whoever asks in a loop leaves the other side time.
      pause();
      return fail(Errc::again, "the consumer has nothing posted, or too much is under way");
    case Outcome::kBusy:
      return fail(Errc::again, "earlier messages to this consumer are still under way");
    case Outcome::kTooLong:
      return fail(Errc::invalid_value, "the message is longer than the posted buffer's room");
    case Outcome::kImmediateTooLong:
      return fail(Errc::invalid_value, "the immediate data is longer than the consumer takes");
    case Outcome::kNoMemory:
      return fail(Errc::no_memory, "no memory can be pinned for the loan; see RLIMIT_MEMLOCK");
    case Outcome::kGone:
      return fail(Errc::invalid_value, "the consumer is gone");
    case Outcome::kBroken:
    case Outcome::kSent:
    case Outcome::kUnderWay:
      break;
  }
  return std::unexpected(lane.failure());
}

Result<ProducerTask*> RdmaProducerImpl::allocate(const Buffer* buffer, Bytes immediate,
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

Outcome RdmaProducerImpl::put(OutLane& lane, ProducerTaskImpl& task) {
  OutLane::Source source;
  if (task.buffer != nullptr && task.buffer->map().started()) {
    source.map = &task.buffer->map().life();
  }
  const Outcome outcome = lane.put(task.data(), task.immediate_bytes(), &source);
  if (outcome == Outcome::kUnderWay) lane.publish();
  return outcome;
}

Outcome RdmaProducerImpl::put_task(OutLane& lane, ProducerTaskImpl& task) {
  const Outcome outcome = queued(task.consumer) ? Outcome::kBusy : put(lane, task);
  if (outcome == Outcome::kUnderWay) {
    add_under_way(traffic_of(task.consumer), task);
  } else if (outcome == Outcome::kBusy) {
    // Any number: whoever is told to try again may do so without progress, and this clears by it.
    task.keep_immediate();
    traffic_of(task.consumer).waiting.push_back(task);
  } else {
    return outcome;
  }
  accept(task);
  return Outcome::kSent;
}

Status RdmaProducerImpl::submit(ProducerTaskImpl& task) {
  if (task.state != TaskState::kAllocated) {
    return fail(Errc::bad_state, "the task is submitted already, or free");
  }
  const Result<OutLane*> lane = find_lane(ConsumerId{task.consumer});
  if (!lane) return std::unexpected(lane.error());
  const Outcome outcome = put_task(**lane, task);
  return outcome == Outcome::kSent ? Status() : refused(**lane, outcome);
}

bool RdmaProducerImpl::try_submit(ProducerTaskImpl& task) {
  if (task.state != TaskState::kAllocated) return false;
  const Result<OutLane*> lane = find_lane(ConsumerId{task.consumer});
  return lane && put_task(**lane, task) == Outcome::kSent;
}

Status RdmaProducerImpl::request_space(ConsumerId consumer) {
  const Result<OutLane*> lane = find_lane(consumer);
  if (!lane && lane.error().code != Errc::again) return std::unexpected(lane.error());
  traffic_of(static_cast<std::uint32_t>(consumer)).space_wanted = true;
  return {};
}

bool RdmaProducerImpl::has_space(ConsumerId consumer) {
  const Result<OutLane*> lane = find_lane(consumer);
  return lane && (*lane)->has_space();
}

Result<std::size_t> RdmaProducerImpl::send(ConsumerId consumer,
                                           std::span<const Outgoing> messages) {
  const Result<OutLane*> found = find_lane(consumer);
  if (!found) return std::unexpected(found.error());
  OutLane& lane = **found;
  const auto id = static_cast<std::uint32_t>(consumer);
  if (lane.under_way() || queued(id)) {
    return fail(Errc::again, "earlier messages are still under way");
  }
  std::size_t count = 0;
  Outcome outcome = Outcome::kSent;
  while (count < messages.size() && outcome == Outcome::kSent) {
    outcome = lane.put(messages[count].data, messages[count].immediate, nullptr);
    if (outcome == Outcome::kSent || outcome == Outcome::kUnderWay) ++count;
  }
  lane.publish();
  if (count == 0 && !messages.empty()) return std::unexpected(refused(lane, outcome).error());
  if (count == 0) return count;
  Traffic& traffic = traffic_of(id);
  if (outcome == Outcome::kUnderWay) traffic.array_behind = traffic.under_way_count;
  return count;
}

bool RdmaProducerImpl::busy(ConsumerId consumer) const {
  const auto it = traffic_.find(static_cast<std::uint32_t>(consumer));
  return it != traffic_.end() && it->second.array_behind.has_value();
}

// --- In place ----------------------------------------------------------------------------

Result<Loan> RdmaProducerImpl::reserve(ConsumerId consumer) {
  const Result<OutLane*> lane = find_lane(consumer);
  if (!lane) return std::unexpected(lane.error());
  Loan loan{.room = {}, .consumer = consumer};
  const Outcome outcome = (*lane)->reserve(loan.handle, loan.room);
  if (outcome == Outcome::kSent) return loan;
  if (outcome == Outcome::kBusy && !(*lane)->under_way()) {
    return fail(Errc::full, "32 posted buffers are lent; commit or abandon one");
  }
  if (outcome == Outcome::kTooLong) {
    return fail(Errc::invalid_value, "the next posted buffer has no room");
  }
  return std::unexpected(refused(**lane, outcome).error());
}

Status RdmaProducerImpl::commit(const Loan& loan, std::size_t length, Bytes immediate) {
  const Result<OutLane*> found = find_lane(loan.consumer);
  if (!found) return std::unexpected(found.error());
  OutLane& lane = **found;
  const auto id = static_cast<std::uint32_t>(loan.consumer);
  if (!lane.is_loan(loan.handle)) return fail(Errc::invalid_value, "not a loan, or ended already");
  if (length > lane.loan_capacity(loan.handle)) {
    return fail(Errc::invalid_value, "longer than the loan's room");
  }
  const Outcome outcome = queued(id) ? Outcome::kBusy : lane.commit(loan.handle, length, immediate);
  if (outcome != Outcome::kSent) return refused(lane, outcome);
  lane.publish();
  traffic_of(id);
  return {};
}

Status RdmaProducerImpl::abandon(const Loan& loan) {
  OutLane* lane = port_ ? port_->lane_if_any(static_cast<std::uint32_t>(loan.consumer)) : nullptr;
  if (lane == nullptr || !lane->is_loan(loan.handle)) {
    return fail(Errc::invalid_value, "not a loan, or ended already");
  }
  lane->abandon(loan.handle);
  port_->ring_siblings();
  return {};
}

Status RdmaProducerImpl::hand_over(ConsumerId, Buffer&, Bytes) {
  return fail(Errc::not_supported, "memory cannot be handed over to another machine; send it");
}

Result<PeerMemory> RdmaProducerImpl::memory(ConsumerId) {
  return fail(Errc::not_supported, "the consumer's memory is on another machine");
}

}  // namespace comch
