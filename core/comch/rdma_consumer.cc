// RdmaConsumerImpl: see rdma_consumer.h.
#include "comch/rdma_consumer.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/pause.h"
#include "comch/endpoint.h"
#include "engine/engine.h"

namespace comch {

using transport::rdma::ConsumerPort;
using transport::rdma::Passage;

RdmaConsumerImpl::RdmaConsumerImpl(Consumer& face, ConnectionImpl& connection, MemoryMapImpl& map,
                                   std::shared_ptr<transport::rdma::Hub> hub)
    : ConsumerCore(face, Consumer::kDefaultImmediate),
      connection_(connection),
      map_(map),
      hub_(std::move(hub)) {}

RdmaConsumerImpl::~RdmaConsumerImpl() {
  if (port_ && engine() != nullptr) engine()->remove(*this);
  port_.reset();
}

// --- Configuration -----------------------------------------------------------------------

Status RdmaConsumerImpl::set_immediate_size(std::uint32_t bytes) {
  return store_immediate_size(bytes, Consumer::kMaxImmediate,
                              "immediate data has at most 256 bytes");
}

Status RdmaConsumerImpl::set_way(DataWay way) {
  const Status s = require_idle();
  if (s) wanted_way_ = way;
  return s;
}

Status RdmaConsumerImpl::check_configuration() {
  if (Status s = require_configured(); !s) return s;
  if (!connection_.endpoint().hears_of_consumers()) {
    return fail(Errc::bad_state, "on_consumer() of the server or client is mandatory");
  }
  if (!map_.started()) return fail(Errc::bad_state, "the memory map is not started");
  if (wanted_way_ != DataWay::kAuto && wanted_way_ != DataWay::kMapped) {
    return fail(Errc::not_supported, "another machine writes straight into the buffers");
  }
  return {};
}

// --- Life --------------------------------------------------------------------------------

Result<bool> RdmaConsumerImpl::on_start() {
  if (Status s = take_tasks(&ReceiveTaskImpl::rdma, this); !s) return std::unexpected(s.error());
  messages_ = {};
  bytes_ = 0;
  forget_use();
  ending_.reset();
  polled_out_ = false;
  Result<std::unique_ptr<ConsumerPort>> port = ConsumerPort::open(
      *engine(), hub_, {.depth = tasks(), .immediate_max = immediate_size(), .map = &map_.life()},
      *this);
  if (!port) return std::unexpected(port.error());
  port_ = std::move(*port);
  engine()->make_hot(*this);
  return false;
}

void RdmaConsumerImpl::on_stop(bool) {
  if (!ending_) ending_ = Error{Errc::shutdown, 0, "the consumer is stopping"};
  port_->close();
  request_work();
}

void RdmaConsumerImpl::on_lost(const Error& error) {
  if (!ending_) ending_ = error;
  fatal(error, error.what);
}

void RdmaConsumerImpl::on_wake() {
  if (port_) engine()->make_hot(*this);
}

bool RdmaConsumerImpl::drained() const {
  return tasks_.in_use() == 0 && !in_poll_ && posts_.empty() && back_posts_.empty();
}

void RdmaConsumerImpl::on_idle() {
  engine()->remove(*this);
  wakes_received_ = port_->wakes_received();
  port_.reset();
}

void RdmaConsumerImpl::on_cut_off() {
  if (!port_) return;
  engine()->remove(*this);
  port_->close();
  port_->take_back([this](std::uint16_t index) {
    task_completed();
    if (in_arrays()) return;
    ReceiveTaskImpl& task = tasks_.all()[index];
    task.state = TaskState::kAllocated;
    task.error = Error{Errc::shutdown, 0, "the consumer was cut off"};
  });
  back_.clear();
  back_posts_.clear();
  port_.reset();
}

bool RdmaConsumerImpl::on_work() {
  bool did = false;
  if (ending_ && port_ && port_->posted() != 0) did = bring_back();
  return hand_back() || did;
}

// What has arrived first; then what will not be filled any more.
bool RdmaConsumerImpl::bring_back() {
  request_work();
  port_->catch_up();
  if (in_arrays() && !polled_out_ && port_->has_message()) return false;  // It is to be polled.
  if (!in_arrays() && poll()) return true;
  port_->take_back([this](std::uint16_t index) {
    if (in_arrays()) return back_posts_.push_back(posts_.remove(index));
    end_posting(tasks_.all()[index], *ending_);
  });
  return true;
}

// --- Posting -----------------------------------------------------------------------------

bool RdmaConsumerImpl::may_post(const Buffer* face) const {
  if (face == nullptr) return true;
  const BufferImpl& buffer = BufferImpl::of(*face);
  return buffer.references() != 0 && &buffer.map() == &map_;
}

Status RdmaConsumerImpl::check_buffer(const Buffer* face) const {
  if (!may_post(face)) [[unlikely]] {
    return fail(Errc::invalid_value, "not a lent buffer of the consumer's memory map");
  }
  return {};
}

Result<ReceiveTask*> RdmaConsumerImpl::allocate(Buffer* buffer) {
  if (state() != ContextState::kRunning && state() != ContextState::kStopping) {
    return fail(Errc::bad_state, "the consumer is not running");
  }
  if (Status s = check_buffer(buffer); !s) return std::unexpected(s.error());
  if (Status s = use_tasks(); !s) return std::unexpected(s.error());
  const Result<ReceiveTaskImpl*> task = acquire();
  if (!task) return std::unexpected(task.error());
  if (buffer != nullptr) (*task)->buffer = &BufferImpl::of(*buffer);
  return *task;
}

void RdmaConsumerImpl::put_up(std::uint16_t index, const BufferImpl* buffer) {
  if (buffer == nullptr || buffer->tail_room() == 0) {
    port_->post(index, comch::shm::kNoBuffer, 0);
  } else {
    port_->post(index, static_cast<std::uint64_t>(buffer->tail() - map_.bytes().data()),
                buffer->tail_room());
  }
}

Status RdmaConsumerImpl::submit(ReceiveTaskImpl& task) {
  if (task.state != TaskState::kAllocated) {
    return fail(Errc::bad_state, "the task is posted already, or free");
  }
  if (task.buffer != nullptr) {
    if (Status s = check_buffer(task.buffer); !s) return s;
  }
  if (ending_) {
    submit_late(task, *ending_);
    return {};
  }
  if (state() != ContextState::kRunning)
    return fail(Errc::bad_state, "the consumer is not running");
  post(task);
  return {};
}

bool RdmaConsumerImpl::try_submit(ReceiveTaskImpl& task) {
  const bool may = task.state == TaskState::kAllocated && may_post(task.buffer) && !ending_ &&
                   state() == ContextState::kRunning;
  if (may) post(task);
  return may;
}

void RdmaConsumerImpl::post(ReceiveTaskImpl& task) {
  task.error.reset();
  set_submitted(task);
  put_up(task.index, task.buffer);
  if (!in_poll_) port_->publish();
}

Status RdmaConsumerImpl::set_buffer(ReceiveTaskImpl& task, Buffer* buffer) {
  if (task.state != TaskState::kAllocated) return fail(Errc::bad_state, "the task is posted");
  if (Status s = check_buffer(buffer); !s) return s;
  task.buffer = buffer == nullptr ? nullptr : &BufferImpl::of(*buffer);
  return {};
}

Result<std::size_t> RdmaConsumerImpl::post(std::span<Buffer* const> buffers) {
  if (state() != ContextState::kRunning)
    return fail(Errc::bad_state, "the consumer is not running");
  if (!in_arrays()) [[unlikely]] {
    if (Status s = use_arrays(); !s) return std::unexpected(s.error());
    posts_.reset(tasks());
  }
  std::size_t count = 0;
  for (Buffer* face : buffers) {
    if (!may_post(face) || posts_.full()) break;
    BufferImpl* const buffer = face == nullptr ? nullptr : &BufferImpl::of(*face);
    put_up(posts_.add(buffer), buffer);
    ++count;
  }
  tasks_submitted(count);
  port_->publish();
  return count;
}

// --- Receiving ---------------------------------------------------------------------------

ConsumerCounters RdmaConsumerImpl::counters() const {
  const auto of = [this](Passage passage) { return messages_[static_cast<std::size_t>(passage)]; };
  return {
      .received_messages = std::accumulate(messages_.begin(), messages_.end(), std::uint64_t{0}),
      .received_bytes = bytes_,
      .inline_messages = of(Passage::kNone) + of(Passage::kInline),
      .direct_messages = of(Passage::kDirect),
      .staged_messages = 0,
      .cooperative_messages = 0,
      .handed_over_messages = 0,
      .wakes_received = port_ ? port_->wakes_received() : wakes_received_};
}

void RdmaConsumerImpl::count(const Arrival& arrival) {
  ++messages_[static_cast<std::size_t>(arrival.passage)];
  bytes_ += arrival.length;
}

void RdmaConsumerImpl::hand_out(const Arrival& arrival) {
  ReceiveTaskImpl& task = tasks_.all()[arrival.index];
  count(arrival);
  task_completed();
  if (task.buffer != nullptr) task.buffer->append_unchecked(arrival.length);
  task.state = TaskState::kAllocated;
  task.producer = ProducerId{arrival.producer};
  task.length = arrival.length;
  task.immediate = arrival.immediate;
  received_(task);
}

bool RdmaConsumerImpl::poll() {
  if (in_arrays()) return port_->ready();
  in_poll_ = true;
  const bool did = port_->poll(kBudget, [this](const Arrival& arrival) { hand_out(arrival); });
  in_poll_ = false;
  port_->publish();
  return did;
}

std::size_t RdmaConsumerImpl::poll(std::span<Received> out) {
  if (!port_ || !in_arrays()) return 0;
  Received* received = out.data();
  const bool did = port_->poll(out.size(), [&](const Arrival& arrival) {
    count(arrival);
    BufferImpl* const buffer = posts_.remove(arrival.index);
    if (buffer != nullptr) buffer->append_unchecked(arrival.length);
    *received++ = {.buffer = buffer,
                   .length = arrival.length,
                   .immediate = arrival.immediate,
                   .handed_over = {},
                   .producer = ProducerId{arrival.producer}};
  });
  const auto count = static_cast<std::size_t>(received - out.data());
  tasks_completed(count);
  // As progress() does: whoever asks in a loop leaves the producer its line to send in.
  if (count == 0) pause();
  if (ending_) [[unlikely]] {
    polled_out_ = !did && !out.empty();
    request_work();
  }
  return count;
}

std::size_t RdmaConsumerImpl::take_back(std::span<Buffer*> out) {
  const std::size_t count = std::min(out.size(), back_posts_.size());
  const auto first = back_posts_.end() - static_cast<std::ptrdiff_t>(count);
  std::ranges::copy(first, back_posts_.end(), out.begin());
  back_posts_.erase(first, back_posts_.end());
  if (count != 0) {
    tasks_completed(count);
    request_work();
  }
  return count;
}

Status RdmaConsumerImpl::give_back(const HandedOver&) {
  return fail(Errc::invalid_value, "nothing is handed over between machines");
}

}  // namespace comch
