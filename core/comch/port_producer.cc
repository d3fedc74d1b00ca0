// PortProducer: see port_producer.h. Made here for each carrier.
#include "comch/port_producer.h"

#include <bit>
#include <utility>

#include "base/pause.h"
#include "comch/endpoint.h"
#include "comch/producer_impl.h"
#include "comch/rdma_ports.h"
#include "comch/rdma_producer.h"
#include "comch/shm_ports.h"
#include "engine/engine.h"

namespace comch {

template <class Ports>
PortProducer<Ports>::PortProducer(Producer& face, ConnectionImpl& connection,
                                  std::shared_ptr<Hub> hub)
    : ProducerCore(face),
      connection_(connection),
      hears_of_consumers_(connection.endpoint().hears_of_consumers()),
      hub_(std::move(hub)) {}

template <class Ports>
PortProducer<Ports>::~PortProducer() {
  if (engine() != nullptr) {
    engine()->clear_alarm(*this);
    engine()->remove(*this);
  }
  port_.reset();
}

// --- Configuration -----------------------------------------------------------------------

template <class Ports>
Status PortProducer<Ports>::set_cooperative_size(std::size_t bytes) {
  if (Status s = require_idle(); !s) return s;
  if (bytes != 0 && bytes < 8192) {
    return fail(Errc::invalid_value, "below 8 KiB one side alone is faster");
  }
  cooperative_ = bytes;
  return {};
}

template <class Ports>
Status PortProducer<Ports>::set_staging_size(std::size_t bytes) {
  if (Status s = require_idle(); !s) return s;
  if (bytes < (std::size_t{64} << 10U) || bytes > (std::size_t{1} << 30U)) {
    return fail(Errc::invalid_value, "a staging area has 64 KiB to 1 GiB");
  }
  staging_ = std::bit_ceil(bytes);
  return {};
}

template <class Ports>
Status PortProducer<Ports>::set_lane_size(std::uint32_t messages) {
  if (Status s = require_idle(); !s) return s;
  if (messages == 1 || messages > Consumer::kMaxTasks) {
    return fail(Errc::invalid_value, "a lane has 2 to 8,192 messages, or 0: as many as are posted");
  }
  lane_size_ = messages;
  return {};
}

template <class Ports>
Status PortProducer<Ports>::check_configuration() {
  if (Status s = require_configured(); !s) return s;
  if (!hears_of_consumers_) {
    return fail(Errc::bad_state, "the server or client needs its consumer callbacks first");
  }
  return {};
}

// --- Life --------------------------------------------------------------------------------

template <class Ports>
Result<bool> PortProducer<Ports>::open(const typename Lane::Options& options) {
  Result<std::unique_ptr<Port>> port = Port::open(*engine(), hub_, options, *this);
  if (!port) return std::unexpected(port.error());
  port_ = std::move(*port);
  nothing_posted_ = 0;
  return true;
}

template <class Ports>
void PortProducer<Ports>::on_stop(bool deliver) {
  if (!deliver) return give_up(Error{Errc::shutdown, 0, "the producer was stopped"});
  linger();
  for (auto& [id, traffic] : traffic_) traffic.space_wanted = false;
  update_attention();
}

template <class Ports>
void PortProducer<Ports>::linger() {
  engine()->set_alarm(*this, engine()->now_ns() + kLinger_ns);
}

template <class Ports>
void PortProducer<Ports>::on_alarm() {
  give_up(Error{Errc::time_out, 0, "the consumer made no progress while the producer stopped"});
}

template <class Ports>
void PortProducer<Ports>::on_lost(const Error& error) {
  give_up(error);
  fatal(error, error.what);
}

template <class Ports>
void PortProducer<Ports>::on_idle() {
  engine()->clear_alarm(*this);
  engine()->remove(*this);
  traffic_.clear();
  counters_ = count();
  port_.reset();
}

template <class Ports>
void PortProducer<Ports>::on_cut_off() {
  if (!port_) return;
  engine()->clear_alarm(*this);
  engine()->remove(*this);
  const Error error{Errc::shutdown, 0, "the producer was cut off"};
  for (auto& [id, traffic] : traffic_) fail_array(id, traffic, error);
  traffic_.clear();
  completions_.clear();
  tasks_.for_each_lent([&](ProducerTaskImpl& task) {
    if (task.state != TaskState::kSubmitted) return;
    task.state = TaskState::kAllocated;
    task.fail_with(error);
    task_completed();
  });
  port_.reset();
}

template <class Ports>
void PortProducer<Ports>::update_attention() {
  if (!port_) return;
  if (traffic_.empty()) {
    engine()->remove(*this);
  } else {
    engine()->make_hot(*this);
  }
}

// --- Sends -------------------------------------------------------------------------------

template <class Ports>
Result<ProducerTask*> PortProducer<Ports>::allocate(const Buffer* buffer, Bytes immediate,
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

template <class Ports>
Status PortProducer<Ports>::refused(const Lane& lane, Outcome outcome) {
  switch (outcome) {
    case Outcome::kNothingPosted:
      ++nothing_posted_;
      // As progress() does: whoever asks in a loop leaves the consumer its line to post in.
      pause();
      return fail(Errc::again, "the consumer has nothing posted, or too much is under way");
    case Outcome::kBusy:
      return fail(Errc::again, "earlier messages to this consumer are still under way");
    case Outcome::kTooLong:
      return fail(Errc::invalid_value,
                  "the message is longer than the posted buffer's room, or, for a consumer that "
                  "looks at views, than 112 bytes with the immediate data rounded up to 8");
    case Outcome::kImmediateTooLong:
      return fail(Errc::invalid_value, "the immediate data is longer than the consumer takes");
    case Outcome::kNoMemory:
      return fail(Errc::no_memory, "the loan is too long to be pinned; see RLIMIT_MEMLOCK");
    case Outcome::kGone:
      return fail(Errc::invalid_value, "the consumer is gone");
    case Outcome::kBroken:
    case Outcome::kSent:
    case Outcome::kUnderWay:
      break;
  }
  return std::unexpected(lane.failure());
}

template <class Ports>
bool PortProducer<Ports>::busy(ConsumerId consumer) const {
  const auto it = traffic_.find(static_cast<std::uint32_t>(consumer));
  return it != traffic_.end() && it->second.array_behind.has_value();
}

template <class Ports>
Status PortProducer<Ports>::ending(ConsumerId consumer) const {
  if (busy(consumer)) return fail(Errc::in_progress, "the message is under way");
  const auto it = array_failures_.find(static_cast<std::uint32_t>(consumer));
  if (it == array_failures_.end()) return {};
  return std::unexpected(it->second);
}

template <class Ports>
bool PortProducer<Ports>::reaches(ConsumerId consumer) const {
  return require_running() && port_->knows(static_cast<std::uint32_t>(consumer));
}

template <class Ports>
bool PortProducer<Ports>::has_space(ConsumerId consumer) {
  Lane* lane = nullptr;
  return find_lane(consumer, lane) && lane->has_space();
}

// --- In place ----------------------------------------------------------------------------

template <class Ports>
Result<Loan> PortProducer<Ports>::reserve(ConsumerId consumer) {
  Lane* lane = nullptr;
  if (Status s = find_lane(consumer, lane); !s) return std::unexpected(s.error());
  return reserve(*lane, consumer);
}

template <class Ports>
Result<Loan> PortProducer<Ports>::reserve(Lane& lane, ConsumerId consumer) {
  // Made where the caller has it: a copy would wait for what has just been written in halves.
  Result<Loan> loan(std::in_place, Loan{.room = {}, .consumer = consumer});
  const Outcome outcome = lane.reserve(loan->handle, loan->room);
  if (outcome != Outcome::kSent) loan = std::unexpected(no_loan(lane, outcome));
  return loan;
}

template <class Ports>
Error PortProducer<Ports>::no_loan(const Lane& lane, Outcome outcome) {
  if (outcome == Outcome::kBusy && !lane.under_way()) {
    return {Errc::full, 0, "32 posted buffers are lent, or too much memory; commit or abandon one"};
  }
  if (outcome == Outcome::kTooLong) {
    return {Errc::invalid_value, 0, "the next posted buffer has no room"};
  }
  return refused(lane, outcome).error();
}

template <class Ports>
Status PortProducer<Ports>::check_loan(const Lane& lane, const Loan& loan, std::size_t length) {
  if (!lane.is_loan(loan.handle)) return fail(Errc::invalid_value, "not a loan, or ended already");
  if (length <= lane.loan_capacity(loan.handle)) return {};
  return fail(Errc::invalid_value, "longer than the loan's room");
}

template <class Ports>
Status PortProducer<Ports>::abandon(const Loan& loan) {
  const auto id = static_cast<std::uint32_t>(loan.consumer);
  Lane* lane = port_ ? port_->lane_if_any(id) : nullptr;
  if (lane == nullptr || !lane->is_loan(loan.handle)) {
    return fail(Errc::invalid_value, "not a loan, or ended already");
  }
  if (lane->abandon(loan.handle)) port_->ring_siblings();
  // The room was what kept it. Where there is traffic, its end is the lane's.
  if (lane->gone() && !lane->lends() && !traffic_.contains(id)) port_->drop(id);
  return {};
}

// --- Under way ---------------------------------------------------------------------------

template <class Ports>
void PortProducer<Ports>::begin_array(std::uint32_t consumer, Traffic& traffic) {
  traffic.array_behind = traffic.under_way_count;
  array_failures_.erase(consumer);
}

template <class Ports>
void PortProducer<Ports>::fail_array(std::uint32_t consumer, Traffic& traffic, const Error& error) {
  if (!traffic.array_behind) return;
  traffic.array_behind.reset();
  if (array_failures_.size() == kMaxFailures) array_failures_.erase(array_failures_.begin());
  array_failures_.insert_or_assign(consumer, error);
}

// The oldest message under way is complete: an array's, or a task's.
template <class Ports>
void PortProducer<Ports>::complete_first(Traffic& traffic) {
  if (traffic.array_behind == std::size_t{0}) return traffic.array_behind.reset();
  ProducerTaskImpl* const task = traffic.under_way.pop_front();
  if (task == nullptr) return;
  --traffic.under_way_count;
  if (traffic.array_behind) --*traffic.array_behind;
  complete(*task, std::nullopt);
}

template <class Ports>
void PortProducer<Ports>::complete_first(std::size_t count, Traffic& traffic) {
  for (; count != 0; --count) complete_first(traffic);
}

template <class Ports>
bool PortProducer<Ports>::finish_sends(std::uint32_t consumer, Lane& lane, Traffic& traffic) {
  const std::optional<std::size_t> completed = lane.step();
  if (!completed) {
    const bool any = traffic.any_message();
    fail_all(consumer, traffic, lane.failure());
    if (any) port_->ring_siblings();  // What the lane had in hand may be theirs now.
    return any;
  }
  if (lane.take_void()) {
    // An array's, and the last: nothing comes behind a file that is being read.
    complete_first(*completed - 1, traffic);
    fail_array(consumer, traffic,
               {Errc::io_failed, 0, "not all of the file could be read without waiting"});
  } else {
    complete_first(*completed, traffic);
  }
  if (*completed != 0 && state() == ContextState::kStopping) {
    linger();
    request_work();
  }
  return *completed != 0;
}

template <class Ports>
void PortProducer<Ports>::fail_all(std::uint32_t consumer, Traffic& traffic, const Error& error) {
  fail_array(consumer, traffic, error);
  traffic.under_way_count = 0;
  while (ProducerTaskImpl* task = traffic.under_way.pop_front()) complete(*task, error);
  while (ProducerTaskImpl* task = traffic.waiting.pop_front()) complete(*task, error);
}

// Declared where they are derived from.
template class PortProducer<ShmPorts>;
template class PortProducer<RdmaPorts>;

}  // namespace comch
