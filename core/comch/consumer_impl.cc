// ConsumerImpl: see consumer_impl.h.
#include "comch/consumer_impl.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/pause.h"
#include "comch/endpoint.h"
#include "engine/engine.h"

namespace comch {

using transport::shm::ConsumerPort;
using transport::shm::Passage;

ConsumerImpl::ConsumerImpl(Consumer& face, ConnectionImpl& connection, MemoryMapImpl& map,
                           std::shared_ptr<transport::shm::Hub> hub)
    : ConsumerCore(face, Consumer::kDefaultImmediate),
      connection_(connection),
      map_(map),
      hub_(std::move(hub)) {}

ConsumerImpl::~ConsumerImpl() {
  if (port_ && engine() != nullptr) engine()->remove(*this);
  port_.reset();
}

// --- Configuration -----------------------------------------------------------------------

Status ConsumerImpl::set_immediate_size(std::uint32_t bytes) {
  return store_immediate_size(bytes, Consumer::kMaxImmediate,
                              "immediate data has at most 256 bytes");
}

Status ConsumerImpl::set_way(DataWay way) {
  const Status s = require_idle();
  if (s) wanted_way_ = way;
  return s;
}

Status ConsumerImpl::check_configuration() {
  if (Status s = require_configured(); !s) return s;
  if (!connection_.endpoint().hears_of_consumers()) {
    return fail(Errc::bad_state, "on_consumer() of the server or client is mandatory");
  }
  if (!map_.started()) return fail(Errc::bad_state, "the memory map is not started");
  return {};
}

Result<ConsumerPort::Setup> ConsumerImpl::choose_way() {
  ConsumerPort::Setup setup{
      .depth = tasks(), .immediate_max = immediate_size(), .memory = map_.bytes()};
  if (wanted_way_ == DataWay::kView) setup.memory = {};
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

Result<bool> ConsumerImpl::on_start() {
  if (Status s = take_tasks(&ReceiveTaskImpl::consumer, this); !s)
    return std::unexpected(s.error());
  const Result<ConsumerPort::Setup> setup = choose_way();
  if (!setup) return std::unexpected(setup.error());
  messages_ = {};
  bytes_ = 0;
  forget_use();
  ending_.reset();
  polled_out_ = false;
  Result<std::unique_ptr<ConsumerPort>> port = ConsumerPort::open(*engine(), hub_, *setup, *this);
  if (!port) return std::unexpected(port.error());
  port_ = std::move(*port);
  engine()->make_hot(*this);
  return false;
}

void ConsumerImpl::on_stop(bool) {
  if (!ending_) ending_ = Error{Errc::shutdown, 0, "the consumer is stopping"};
  port_->close();
  if (views()) port_->catch_up();  // What has arrived is still to be looked at.
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
  return tasks_.in_use() == 0 && !in_poll_ && posts_.empty() && back_posts_.empty() && !has_views();
}

void ConsumerImpl::on_idle() {
  engine()->remove(*this);
  wakes_received_ = port_->wakes_received();
  port_.reset();
}

void ConsumerImpl::on_cut_off() {
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

bool ConsumerImpl::on_work() {
  bool did = false;
  if (ending_ && port_ && port_->posted() != 0) did = bring_back();
  return hand_back() || did;
}

// What has arrived first; then what will not be filled any more.
bool ConsumerImpl::bring_back() {
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

bool ConsumerImpl::may_post(const Buffer* face) const {
  if (face == nullptr) return true;
  const BufferImpl& buffer = BufferImpl::of(*face);
  return buffer.references() != 0 && &buffer.map() == &map_;
}

Status ConsumerImpl::check_buffer(const Buffer* face) const {
  if (!may_post(face)) [[unlikely]] {
    return fail(Errc::invalid_value, "not a lent buffer of the consumer's memory map");
  }
  return {};
}

Result<ReceiveTask*> ConsumerImpl::allocate(Buffer* buffer) {
  if (state() != ContextState::kRunning && state() != ContextState::kStopping) {
    return fail(Errc::bad_state, "the consumer is not running");
  }
  if (Status s = require_no_views(); !s) return std::unexpected(s.error());
  if (Status s = check_buffer(buffer); !s) return std::unexpected(s.error());
  if (Status s = use_tasks(); !s) return std::unexpected(s.error());
  const Result<ReceiveTaskImpl*> task = acquire();
  if (!task) return std::unexpected(task.error());
  if (buffer != nullptr) (*task)->buffer = &BufferImpl::of(*buffer);
  return *task;
}

template <class Posting>
inline void ConsumerImpl::put_up(Posting& posting, std::uint16_t index, const BufferImpl* buffer) {
  std::uint64_t offset = comch::shm::kNoBuffer;
  const std::uint64_t room = buffer == nullptr ? 0 : buffer->tail_room();
  if (room != 0) offset = static_cast<std::uint64_t>(buffer->tail() - map_.bytes().data());
  posting.post(index, offset, room);
}

bool ConsumerImpl::try_submit(ReceiveTaskImpl& task) {
  const bool may = task.state == TaskState::kAllocated && may_post(task.buffer) && !ending_ &&
                   state() == ContextState::kRunning;
  if (!may) [[unlikely]]
    return false;
  post(task);
  return true;
}

Status ConsumerImpl::submit(ReceiveTaskImpl& task) {
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

void ConsumerImpl::post(ReceiveTaskImpl& task) {
  task.error.reset();
  set_submitted(task);
  put_up(*port_, task.index, task.buffer);
  if (!in_poll_) port_->publish();
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
  if (!in_arrays()) [[unlikely]] {
    if (Status s = require_no_views(); !s) return std::unexpected(s.error());
    if (Status s = use_arrays(); !s) return std::unexpected(s.error());
    posts_.reset(tasks());
  }
  std::size_t count = 0;
  for (ConsumerPort::Posting posting(*port_); count != buffers.size(); ++count) {
    Buffer* const face = buffers[count];
    if (!may_post(face) || posts_.full()) break;
    BufferImpl* const buffer = face == nullptr ? nullptr : &BufferImpl::of(*face);
    put_up(posting, posts_.add(buffer), buffer);
  }
  tasks_submitted(count);
  port_->publish();
  return count;
}

// --- Receiving ---------------------------------------------------------------------------

ConsumerCounters ConsumerImpl::counters() const {
  const auto of = [this](Passage passage) { return messages_[static_cast<std::size_t>(passage)]; };
  return {
      .received_messages = std::accumulate(messages_.begin(), messages_.end(), std::uint64_t{0}),
      .received_bytes = bytes_,
      .inline_messages = of(Passage::kNone) + of(Passage::kInline),
      .direct_messages = of(Passage::kDirect),
      .staged_messages = of(Passage::kStaged),
      .cooperative_messages = of(Passage::kCooperative),
      .handed_over_messages = of(Passage::kHandOver),
      .wakes_received = port_ ? port_->wakes_received() : wakes_received_};
}

// Members are written one by one: a copy of a whole would have to wait for its parts.
struct ConsumerImpl::ToTask {
  ConsumerImpl& consumer;

  void operator()(const transport::shm::PlainArrival& arrival) const {
    consumer.count(arrival.passage, arrival.length);
    ReceiveTaskImpl& task = fill(arrival.index, arrival.producer, arrival.length);
    task.immediate = {};
    task.handed_over = {};
    consumer.received_(task);
  }
  void operator()(const Arrival& arrival) const {
    consumer.count(arrival.passage, arrival.length + arrival.handed.size());
    ReceiveTaskImpl& task = fill(arrival.index, arrival.producer, arrival.length);
    task.immediate = arrival.immediate;
    task.handed_over = {arrival.handed, task.producer, arrival.handle};
    consumer.received_(task);
  }

 private:
  ReceiveTaskImpl& fill(std::uint16_t index, std::uint32_t producer, std::uint64_t length) const {
    ReceiveTaskImpl& task = consumer.tasks_.all()[index];
    consumer.task_completed();
    if (task.buffer != nullptr) task.buffer->append_unchecked(length);
    task.state = TaskState::kAllocated;
    task.producer = ProducerId{producer};
    task.length = length;
    return task;
  }
};

struct ConsumerImpl::ToArray {
  ConsumerImpl& consumer;
  Received* next;

  void operator()(const transport::shm::PlainArrival& arrival) {
    consumer.count(arrival.passage, arrival.length);
    Received& received = fill(arrival.index, arrival.producer, arrival.length);
    received.immediate = {};
    received.handed_over = {};
  }
  void operator()(const Arrival& arrival) {
    consumer.count(arrival.passage, arrival.length + arrival.handed.size());
    Received& received = fill(arrival.index, arrival.producer, arrival.length);
    received.immediate = arrival.immediate;
    received.handed_over = {arrival.handed, received.producer, arrival.handle};
  }

 private:
  Received& fill(std::uint16_t index, std::uint32_t producer, std::uint64_t length) {
    BufferImpl* const buffer = consumer.posts_.remove(index);
    if (buffer != nullptr) buffer->append_unchecked(length);
    Received& received = *next++;
    received.buffer = buffer;
    received.length = length;
    received.producer = ProducerId{producer};
    return received;
  }
};

bool ConsumerImpl::poll() {
  if (in_arrays() || views()) return port_->ready();
  in_poll_ = true;
  const bool did = port_->poll(kBudget, ToTask{*this});
  in_poll_ = false;
  port_->publish();
  return did;
}

std::size_t ConsumerImpl::poll(std::span<Received> out) {
  if (!port_ || !in_arrays()) return 0;
  ToArray sink{*this, out.data()};
  const bool did = port_->poll(out.size(), sink);
  const auto count = static_cast<std::size_t>(sink.next - out.data());
  tasks_completed(count);
  // As progress() does: whoever asks in a loop leaves the producer its line to send in.
  if (count == 0) pause();
  if (ending_) [[unlikely]] {
    polled_out_ = !did && !out.empty();
    request_work();
  }
  return count;
}

std::size_t ConsumerImpl::take_back(std::span<Buffer*> out) {
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

Status ConsumerImpl::give_back(const HandedOver& message) {
  const auto producer = static_cast<std::uint32_t>(message.producer);
  if (!port_ || !message || !port_->give_back(producer, message.handle)) {
    return fail(Errc::invalid_value, "the message is not held, or its producer is gone");
  }
  return {};
}

}  // namespace comch
