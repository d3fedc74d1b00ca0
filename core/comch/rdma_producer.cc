// RdmaProducerImpl: its life, and sends. rdma_traffic.cc has what is under way.
#include "comch/rdma_producer.h"

#include <utility>

namespace comch {

static_assert(Producer::kMaxLoanBytes == transport::rdma::OutLane::kLoanBytes);
static_assert(Producer::kMaxLoans == transport::rdma::OutLane::kLoans);

using transport::Outcome;

// --- Life --------------------------------------------------------------------------------

Status RdmaProducerImpl::on_returned(const Producer::ReturnHandler&) { return require_idle(); }

ProducerCounters RdmaProducerImpl::count() const {
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

Result<bool> RdmaProducerImpl::on_start() {
  if (Status s = take_tasks(&ProducerTaskImpl::rdma, this); !s) return std::unexpected(s.error());
  return open({.staging = staging_});
}

// Nothing is under way: neither a task's message nor an array's.
bool RdmaProducerImpl::drained() const {
  return !in_poll_ && tasks_.in_use() == 0 && completions_.empty() && traffic_.empty();
}

// --- Sends -------------------------------------------------------------------------------

Outcome RdmaProducerImpl::put(Lane& lane, ProducerTaskImpl& task) {
  Lane::Source source;
  if (task.buffer != nullptr && task.buffer->map().started()) {
    source.map = &task.buffer->map().life();
  }
  const Outcome outcome = lane.put(task.data(), task.immediate_bytes(), &source);
  if (outcome == Outcome::kUnderWay) lane.publish();
  return outcome;
}

Outcome RdmaProducerImpl::put_task(Lane& lane, ProducerTaskImpl& task) {
  const Outcome outcome = queued(task.consumer) ? Outcome::kBusy : put(lane, task);
  if (outcome == Outcome::kUnderWay) {
    traffic_of(task.consumer).add_under_way(task);
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
  Lane* lane = nullptr;
  if (Status found = find_lane(ConsumerId{task.consumer}, lane); !found) return found;
  const Outcome outcome = put_task(*lane, task);
  return outcome == Outcome::kSent ? Status() : refused(*lane, outcome);
}

bool RdmaProducerImpl::try_submit(ProducerTaskImpl& task) {
  if (task.state != TaskState::kAllocated) return false;
  Lane* lane = nullptr;
  return find_lane(ConsumerId{task.consumer}, lane) && put_task(*lane, task) == Outcome::kSent;
}

Status RdmaProducerImpl::request_space(ConsumerId consumer) {
  Lane* lane = nullptr;
  const Status found = find_lane(consumer, lane);
  if (!found && found.error().code != Errc::again) return found;
  if (lane != nullptr && lane->failed()) return std::unexpected(lane->failure());
  traffic_of(static_cast<std::uint32_t>(consumer)).space_wanted = true;
  return {};
}

Result<std::size_t> RdmaProducerImpl::send(ConsumerId consumer,
                                           std::span<const Outgoing> messages) {
  Lane* found = nullptr;
  if (Status s = find_lane(consumer, found); !s) return std::unexpected(s.error());
  Lane& lane = *found;
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
  if (outcome == Outcome::kUnderWay) begin_array(id, traffic);
  return count;
}

// --- In place ----------------------------------------------------------------------------

Status RdmaProducerImpl::commit(const Loan& loan, std::size_t length, Bytes immediate) {
  Lane* found = nullptr;
  if (Status s = find_lane(loan.consumer, found); !s) return s;
  Lane& lane = *found;
  const auto id = static_cast<std::uint32_t>(loan.consumer);
  if (Status s = check_loan(lane, loan, length); !s) return s;
  const Outcome outcome = queued(id) ? Outcome::kBusy : lane.commit(loan.handle, length, immediate);
  if (outcome != Outcome::kSent) return refused(lane, outcome);
  lane.publish();
  traffic_of(id);
  return {};
}

Result<std::size_t> RdmaProducerImpl::reserve(ConsumerId consumer, std::span<Loan> loans) {
  std::size_t count = 0;
  for (; count != loans.size(); ++count) {
    const Result<Loan> loan = PortProducer::reserve(consumer);
    if (!loan && count == 0) return std::unexpected(loan.error());
    if (!loan) break;
    loans[count] = *loan;
  }
  return count;
}

Result<std::size_t> RdmaProducerImpl::commit(std::span<const FilledLoan> loans) {
  std::size_t count = 0;
  for (; count != loans.size(); ++count) {
    const auto& [loan, length, immediate] = loans[count];
    if (loan.consumer != loans[0].loan.consumer) break;
    const Status s = commit(loan, length, immediate);
    if (!s && count == 0) return std::unexpected(s.error());
    if (!s) break;
  }
  return count;
}

Status RdmaProducerImpl::hand_over(ConsumerId, Buffer&, Bytes) {
  return fail(Errc::not_supported, "memory cannot be handed over to another machine; send it");
}

Status RdmaProducerImpl::send_file(ConsumerId, const ShownFile&, std::uint64_t, std::size_t,
                                   Bytes) {
  return fail(Errc::not_supported, "another machine cannot read a file of this one; send it");
}

Result<PeerMemory> RdmaProducerImpl::memory(ConsumerId) {
  return fail(Errc::not_supported, "the consumer's memory is on another machine");
}

}  // namespace comch
