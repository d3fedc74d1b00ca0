// QueueProducerImpl: see queue_producer.h.
#include "comch/queue_producer.h"

#include <algorithm>

#include "engine/engine.h"

namespace comch {

namespace {

Status no_data() { return fail(Errc::not_supported, "a MsgQ carries immediate data alone"); }

}  // namespace

QueueProducerImpl::~QueueProducerImpl() {
  if (!idle() && engine() != nullptr) leave_engine();
}

// --- Configuration -----------------------------------------------------------------------

// Nothing is ever handed over, and there is no data to move.
Status QueueProducerImpl::on_returned(const Producer::ReturnHandler&) { return require_idle(); }
Status QueueProducerImpl::set_cooperative_size(std::size_t) { return require_idle(); }
Status QueueProducerImpl::set_staging_size(std::size_t) { return require_idle(); }
Status QueueProducerImpl::set_lane_size(std::uint32_t) { return require_idle(); }

Status QueueProducerImpl::check_configuration() { return require_configured(); }

// --- Life --------------------------------------------------------------------------------

Result<bool> QueueProducerImpl::on_start() {
  if (Status s = take_tasks(&ProducerTaskImpl::queue, this); !s) return std::unexpected(s.error());
  if (Status s = end_->open(); !s) return std::unexpected(s.error());
  if (Status s = engine()->watch(end_->wake_fd(), *this); !s) {
    end_->close();
    return std::unexpected(s.error());
  }
  wanted_.reserve(queue_.max_consumers());
  counters_ = {};
  return true;
}

void QueueProducerImpl::on_stop(bool) { wanted_.clear(); }

void QueueProducerImpl::on_readable() { end_->drain_wakes(); }

void QueueProducerImpl::leave_engine() {
  engine()->remove(*this);
  engine()->unwatch(end_->wake_fd());
  end_->close();
}

void QueueProducerImpl::on_idle() { leave_engine(); }

void QueueProducerImpl::on_cut_off() {
  if (idle()) return;
  leave_engine();
  wanted_.clear();
  while (ProducerTaskImpl* task = completions_.pop_front()) {
    task->state = TaskState::kAllocated;
    task_completed();
  }
}

// --- Sending -----------------------------------------------------------------------------

Result<ProducerTask*> QueueProducerImpl::allocate(const Buffer* buffer, Bytes immediate,
                                                  ConsumerId consumer) {
  if (idle()) return fail(Errc::bad_state, "the producer is not running");
  if (buffer != nullptr || immediate.size() > MsgQ::kMaxImmediate) {
    return fail(Errc::invalid_value, "a MsgQ carries at most 32 bytes, of immediate data alone");
  }
  const Result<ProducerTaskImpl*> task = acquire(immediate, consumer);
  if (!task) return std::unexpected(task.error());
  return *task;
}

Status QueueProducerImpl::put(ConsumerId consumer, Bytes immediate) {
  const Status s = end_->put(consumer, immediate);
  if (s) {
    ++counters_.sent_messages;
    ++counters_.inline_messages;
  } else if (s.error().code == Errc::again) {
    ++counters_.nothing_posted;
  }
  return s;
}

Status QueueProducerImpl::submit(ProducerTaskImpl& task) {
  if (task.state != TaskState::kAllocated) {
    return fail(Errc::bad_state, "the task is submitted already, or free");
  }
  if (Status s = require_running(); !s) return s;
  if (task.buffer != nullptr) {
    return fail(Errc::invalid_value, "a MsgQ carries immediate data alone, and takes no buffer");
  }
  if (Status s = put(ConsumerId{task.consumer}, task.immediate_bytes()); !s) return s;
  end_->publish();
  accept(task);
  completions_.push_back(task);
  request_work();
  return {};
}

Result<std::size_t> QueueProducerImpl::send(ConsumerId consumer,
                                            std::span<const Outgoing> messages) {
  if (Status s = require_running(); !s) return std::unexpected(s.error());
  std::size_t count = 0;
  Status s;
  for (; count < messages.size(); ++count) {
    s = messages[count].data.empty()
            ? put(consumer, messages[count].immediate)
            : fail(Errc::invalid_value, "a MsgQ carries immediate data alone");
    if (!s) break;
  }
  end_->publish();
  if (count == 0 && !s) return std::unexpected(s.error());
  return count;
}

// --- Waiting for space -------------------------------------------------------------------

Status QueueProducerImpl::request_space(ConsumerId consumer) {
  if (Status s = require_running(); !s) return s;
  if (const Result<bool> space = end_->has_space(consumer); !space) {
    return std::unexpected(space.error());
  }
  if (std::ranges::find(wanted_, consumer) == wanted_.end()) wanted_.push_back(consumer);
  engine()->make_hot(*this);
  return {};
}

bool QueueProducerImpl::has_space(ConsumerId consumer) {
  return require_running() && end_->has_space(consumer).value_or(false);
}

bool QueueProducerImpl::poll() {
  bool did = false;
  for (std::size_t left = wanted_.size(); left != 0 && !wanted_.empty(); --left) {
    const ConsumerId consumer = wanted_.front();
    wanted_.erase(wanted_.begin());
    const Result<bool> space = end_->has_space(consumer);
    if (space && !*space) wanted_.push_back(consumer);
    if (!space || !*space) continue;  // Of a consumer that is gone nothing is said.
    did = true;
    tell_of_space(consumer);
  }
  if (wanted_.empty()) engine()->remove(*this);
  return did;
}

bool QueueProducerImpl::ready() {
  return std::ranges::any_of(
      wanted_, [this](ConsumerId consumer) { return end_->has_space(consumer).value_or(true); });
}

// --- What a MsgQ does not do -------------------------------------------------------------

Status QueueProducerImpl::send_file(ConsumerId, const ShownFile&, std::uint64_t, std::size_t,
                                    Bytes) {
  return no_data();
}
Result<Loan> QueueProducerImpl::reserve(ConsumerId) { return std::unexpected(no_data().error()); }
Status QueueProducerImpl::commit(const Loan&, std::size_t, Bytes) { return no_data(); }
Result<std::size_t> QueueProducerImpl::reserve(ConsumerId, std::span<Loan>) {
  return std::unexpected(no_data().error());
}
Result<std::size_t> QueueProducerImpl::commit(std::span<const FilledLoan>) {
  return std::unexpected(no_data().error());
}
Status QueueProducerImpl::abandon(const Loan&) { return no_data(); }
Result<PeerMemory> QueueProducerImpl::memory(ConsumerId) {
  return std::unexpected(no_data().error());
}
Status QueueProducerImpl::hand_over(ConsumerId, Buffer&, Bytes) { return no_data(); }

}  // namespace comch
