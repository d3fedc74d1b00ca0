// ConsumerImpl: see consumer_impl.h.
#include "comch/consumer_impl.h"

#include <algorithm>
#include <utility>

#include "comch/endpoint.h"
#include "engine/engine.h"

namespace comch {

using transport::shm::ConsumerPort;
using transport::shm::Passage;

ConsumerImpl::ConsumerImpl(Consumer& face, ConnectionImpl& connection, MemoryMapImpl& map,
                           std::shared_ptr<transport::shm::Hub> hub)
    : ContextCore(face), connection_(connection), map_(map), hub_(std::move(hub)) {}

ConsumerImpl::~ConsumerImpl() {
  if (port_ && engine() != nullptr) engine()->remove(*this);
  port_.reset();
}

// --- Configuration -----------------------------------------------------------------------

Status ConsumerImpl::require_idle() const {
  if (!idle()) return fail(Errc::bad_state, "configuration is possible only while idle");
  return {};
}

Status ConsumerImpl::configure_receive(std::uint32_t tasks, Consumer::Handler received,
                                       Consumer::Handler failed) {
  if (Status s = require_idle(); !s) return s;
  if (tasks == 0 || tasks > Consumer::kMaxTasks) {
    return fail(Errc::invalid_value, "a consumer has 1 to 8,192 tasks");
  }
  if (!received || !failed) {
    return fail(Errc::invalid_value, "both receive callbacks are mandatory");
  }
  configured_tasks_ = tasks;
  received_ = std::move(received);
  failed_ = std::move(failed);
  return {};
}

Status ConsumerImpl::set_immediate_size(std::uint32_t bytes) {
  if (Status s = require_idle(); !s) return s;
  if (bytes > Consumer::kMaxImmediate) {
    return fail(Errc::invalid_value, "immediate data has at most 256 bytes");
  }
  immediate_size_ = bytes;
  return {};
}

Status ConsumerImpl::set_way(DataWay way) {
  const Status s = require_idle();
  if (s) wanted_way_ = way;
  return s;
}

Status ConsumerImpl::check_configuration() {
  if (configured_tasks_ == 0) {
    return fail(Errc::bad_state, "configure_receive() is mandatory before start()");
  }
  if (!connection_.endpoint().hears_of_consumers()) {
    return fail(Errc::bad_state, "on_consumer() of the server or client is mandatory");
  }
  if (!map_.started()) return fail(Errc::bad_state, "the memory map is not started");
  return {};
}

Result<ConsumerPort::Setup> ConsumerImpl::choose_way() {
  ConsumerPort::Setup setup{
      .depth = configured_tasks_, .immediate_max = immediate_size_, .memory = map_.bytes()};
  const bool may_map = map_.memfd() != nullptr;
  if (wanted_way_ == DataWay::kMapped && !may_map) {
    return fail(Errc::not_supported, "the memory map is not in a sealed memfd; allocate() it");
  }
  way_ = wanted_way_;
  if (way_ == DataWay::kAuto) way_ = may_map ? DataWay::kMapped : DataWay::kStaged;
  setup.way = static_cast<wire::Way>(way_);
  if (way_ == DataWay::kMapped) {
    setup.memfd = map_.memfd();
    setup.memfd_offset = map_.memfd_offset();
  }
  return setup;
}

// --- Life --------------------------------------------------------------------------------

Status ConsumerImpl::take_tasks() {
  if (tasks_.size() == configured_tasks_) return {};
  Result<Pool<ReceiveTaskImpl>> pool = Pool<ReceiveTaskImpl>::create(configured_tasks_);
  if (!pool) return std::unexpected(pool.error());
  tasks_ = std::move(*pool);
  std::uint16_t index = 0;
  for (ReceiveTaskImpl& task : tasks_.all()) {
    task.consumer = this;
    task.index = index++;
  }
  return {};
}

Result<bool> ConsumerImpl::on_start() {
  if (Status s = take_tasks(); !s) return std::unexpected(s.error());
  const Result<ConsumerPort::Setup> setup = choose_way();
  if (!setup) return std::unexpected(setup.error());
  counters_ = {};
  by_array_ = false;
  ending_.reset();
  Result<std::unique_ptr<ConsumerPort>> port = ConsumerPort::open(*engine(), hub_, *setup, *this);
  if (!port) return std::unexpected(port.error());
  port_ = std::move(*port);
  engine()->make_hot(*this);
  return false;
}

void ConsumerImpl::on_stop(bool) {
  if (!ending_) ending_ = Error{Errc::shutdown, 0, "the consumer is stopping"};
  port_->close();
  request_work();
}

void ConsumerImpl::on_lost(const Error& error) {
  if (!ending_) ending_ = error;
  fatal(error, error.what);
}

void ConsumerImpl::on_wake() {
  if (port_) engine()->make_hot(*this);
}

bool ConsumerImpl::drained() const {
  return tasks_.in_use() == 0 && !in_poll_ && back_.empty() && back_array_.empty();
}

void ConsumerImpl::on_idle() {
  engine()->remove(*this);
  counters_ = counters();
  port_.reset();
}

void ConsumerImpl::on_cut_off() {
  if (!port_) return;
  engine()->remove(*this);
  port_->close();
  port_->take_back([this](std::uint16_t index) {
    ReceiveTaskImpl& task = tasks_.all()[index];
    task.state = TaskState::kAllocated;
    task.error = Error{Errc::shutdown, 0, "the consumer was cut off"};
    task_completed();
    // Nobody will ask for it.
    if (task.in_array) tasks_.release(&task);
  });
  back_.clear();
  back_array_.clear();
  port_.reset();
}

bool ConsumerImpl::on_work() {
  bool did = false;
  if (ending_ && port_ && port_->posted() != 0) did = bring_back();
  return hand_back() || did;
}

// What has arrived first; then what will not be filled any more.
bool ConsumerImpl::bring_back() {
  request_work();
  if (by_array_ && port_->ready()) return false;  // The application's to poll.
  if (!by_array_ && poll()) return true;
  port_->take_back([this](std::uint16_t index) {
    ReceiveTaskImpl& task = tasks_.all()[index];
    task.error = *ending_;
    task.length = 0;
    task.immediate = {};
    (task.in_array ? back_array_ : back_).push_back(task);
  });
  return true;
}

bool ConsumerImpl::hand_back() {
  bool did = false;
  for (int budget = kEndBudget; budget > 0; --budget) {
    ReceiveTaskImpl* task = back_.pop_front();
    if (task == nullptr) return did;
    task->state = TaskState::kAllocated;
    task_completed();
    failed_(*task);
    did = true;
  }
  request_work();
  return did;
}

// --- Posting -----------------------------------------------------------------------------

Status ConsumerImpl::check_buffer(const Buffer* face) const {
  if (face == nullptr) return {};
  const BufferImpl& buffer = BufferImpl::of(*face);
  if (buffer.references() == 0 || &buffer.map() != &map_) {
    return fail(Errc::invalid_value, "not a lent buffer of the consumer's memory map");
  }
  return {};
}

Result<ReceiveTask*> ConsumerImpl::allocate(Buffer* buffer) {
  if (state() != ContextState::kRunning && state() != ContextState::kStopping) {
    return fail(Errc::bad_state, "the consumer is not running");
  }
  if (Status s = check_buffer(buffer); !s) return std::unexpected(s.error());
  ReceiveTaskImpl* task = tasks_.acquire();
  if (task == nullptr) return fail(Errc::no_memory, "every receive task is out");
  task->buffer = buffer == nullptr ? nullptr : &BufferImpl::of(*buffer);
  task->state = TaskState::kAllocated;
  task->in_array = false;
  task->error.reset();
  task->handed_over = {};
  task->length = 0;
  task->immediate = {};
  task->user_data = {};
  return task;
}

void ConsumerImpl::put_up(ReceiveTaskImpl& task) {
  task.state = TaskState::kSubmitted;
  task_submitted();
  const BufferImpl* buffer = task.buffer;
  if (buffer == nullptr || buffer->tail_room() == 0) {
    port_->post(task.index, comch::shm::kNoBuffer, 0);
  } else {
    const auto offset = static_cast<std::uint64_t>(buffer->tail() - map_.bytes().data());
    port_->post(task.index, offset, buffer->tail_room());
  }
}

Status ConsumerImpl::submit(ReceiveTaskImpl& task) {
  if (task.state != TaskState::kAllocated) {
    return fail(Errc::bad_state, "the task is posted already, or free");
  }
  if (task.buffer != nullptr) {
    if (Status s = check_buffer(task.buffer); !s) return s;
  }
  if (ending_ || state() == ContextState::kStopping) {
    task.error = ending_;
    task.state = TaskState::kSubmitted;
    task_submitted();
    back_.push_back(task);
    request_work();
    return {};
  }
  if (state() != ContextState::kRunning)
    return fail(Errc::bad_state, "the consumer is not running");
  task.error.reset();
  put_up(task);
  if (!in_poll_) port_->publish();
  return {};
}

Status ConsumerImpl::free(ReceiveTaskImpl& task) {
  if (task.state != TaskState::kAllocated) {
    return fail(Errc::bad_state, "the task is posted, or free already");
  }
  task.state = TaskState::kFree;
  tasks_.release(&task);
  if (state() == ContextState::kStopping) request_work();
  return {};
}

Status ConsumerImpl::set_buffer(ReceiveTaskImpl& task, Buffer* buffer) {
  if (task.state != TaskState::kAllocated) return fail(Errc::bad_state, "the task is posted");
  if (Status s = check_buffer(buffer); !s) return s;
  task.buffer = buffer == nullptr ? nullptr : &BufferImpl::of(*buffer);
  return {};
}

Result<std::size_t> ConsumerImpl::post(std::span<Buffer* const> buffers) {
  if (state() != ContextState::kRunning)
    return fail(Errc::bad_state, "the consumer is not running");
  by_array_ = true;
  std::size_t count = 0;
  for (Buffer* buffer : buffers) {
    if (!check_buffer(buffer)) break;
    ReceiveTaskImpl* task = tasks_.acquire();
    if (task == nullptr) break;
    task->buffer = buffer == nullptr ? nullptr : &BufferImpl::of(*buffer);
    task->in_array = true;
    put_up(*task);
    ++count;
  }
  port_->publish();
  return count;
}

// --- Receiving ---------------------------------------------------------------------------

ConsumerCounters ConsumerImpl::counters() const {
  ConsumerCounters now = counters_;
  if (port_) now.wakes_received = port_->wakes_received();
  return now;
}

void ConsumerImpl::count(const Arrival& arrival) {
  ++counters_.received_messages;
  counters_.received_bytes += arrival.length + arrival.handed.size();
  switch (arrival.passage) {
    case Passage::kNone:
    case Passage::kInline:
      ++counters_.inline_messages;
      break;
    case Passage::kDirect:
      ++counters_.direct_messages;
      break;
    case Passage::kStaged:
      ++counters_.staged_messages;
      break;
    case Passage::kCooperative:
      ++counters_.cooperative_messages;
      break;
    case Passage::kHandOver:
      ++counters_.handed_over_messages;
      break;
  }
}

ReceiveTaskImpl& ConsumerImpl::arrived(const Arrival& arrival) {
  ReceiveTaskImpl& task = tasks_.all()[arrival.index];
  count(arrival);
  task_completed();
  if (task.buffer != nullptr) task.buffer->append_unchecked(arrival.length);
  return task;
}

void ConsumerImpl::hand_out(const Arrival& arrival) {
  ReceiveTaskImpl& task = arrived(arrival);
  task.state = TaskState::kAllocated;
  task.producer = ProducerId{arrival.producer};
  task.length = arrival.length;
  task.immediate = arrival.immediate;
  task.handed_over = {arrival.handed, task.producer, arrival.handle};
  received_(task);
}

bool ConsumerImpl::poll() {
  if (by_array_) return port_->ready();
  in_poll_ = true;
  const bool did = port_->poll(kBudget, [this](const Arrival& arrival) { hand_out(arrival); });
  in_poll_ = false;
  port_->publish();
  return did;
}

std::size_t ConsumerImpl::poll(std::span<Received> out) {
  if (!port_) return 0;
  std::size_t count = 0;
  port_->poll(out.size(), [&](const Arrival& arrival) {
    ReceiveTaskImpl& task = arrived(arrival);
    Received& received = out[count++];
    received.buffer = task.buffer;
    received.length = arrival.length;
    received.immediate = arrival.immediate;
    received.producer = ProducerId{arrival.producer};
    received.handed_over = {arrival.handed, received.producer, arrival.handle};
    tasks_.release(&task);
  });
  if (ending_) request_work();
  return count;
}

std::size_t ConsumerImpl::take_back(std::span<Buffer*> out) {
  std::size_t count = 0;
  while (count != out.size()) {
    ReceiveTaskImpl* task = back_array_.pop_front();
    if (task == nullptr) break;
    out[count++] = task->buffer;
    task_completed();
    tasks_.release(task);
  }
  if (count != 0) request_work();
  return count;
}

Status ConsumerImpl::give_back(const HandedOver& message) {
  const auto producer = static_cast<std::uint32_t>(message.producer);
  if (!port_ || !message || !port_->give_back(producer, message.handle)) {
    return fail(Errc::invalid_value, "the message is not held, or its producer is gone");
  }
  return {};
}

}  // namespace comch
