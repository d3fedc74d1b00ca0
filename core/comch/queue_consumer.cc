// QueueConsumerImpl: see queue_consumer.h.
#include "comch/queue_consumer.h"

#include <utility>

#include "engine/engine.h"

namespace comch {

using msgq::Delivery;

namespace {

constexpr Error kStopping{Errc::shutdown, 0, "the consumer is stopping"};

}  // namespace

QueueConsumerImpl::~QueueConsumerImpl() {
  if (!idle() && engine() != nullptr) leave_engine();
}

// --- Configuration -----------------------------------------------------------------------

Status QueueConsumerImpl::set_immediate_size(std::uint32_t bytes) {
  return store_immediate_size(bytes, MsgQ::kMaxImmediate,
                              "a message of a MsgQ has at most 32 bytes");
}

Status QueueConsumerImpl::set_way(DataWay way) {
  if (Status s = require_idle(); !s) return s;
  if (way == DataWay::kAuto) return {};
  return fail(Errc::not_supported, "a MsgQ carries immediate data alone");
}

Status QueueConsumerImpl::set_descriptors_kept(bool kept) {
  if (Status s = require_idle(); !s) return s;
  if (!kept) return {};
  return fail(Errc::not_supported, "nothing is handed over by a MsgQ");
}

Status QueueConsumerImpl::check_configuration() { return require_configured(); }

// --- Life --------------------------------------------------------------------------------

Result<bool> QueueConsumerImpl::on_start() {
  if (Status s = take_tasks(&ReceiveTaskImpl::queue, this); !s) return std::unexpected(s.error());
  if (Status s = end_->open(tasks(), immediate_size()); !s) {
    return std::unexpected(s.error());
  }
  if (Status s = engine()->watch(end_->wake_fd(), *this); !s) {
    end_->close();
    return std::unexpected(s.error());
  }
  counters_ = {};
  forget_use();
  ending_ = false;
  engine()->make_hot(*this);
  return true;
}

void QueueConsumerImpl::on_stop(bool) {
  ending_ = true;
  end_->close();
  request_work();
}

void QueueConsumerImpl::on_readable() {
  end_->drain_wakes();
  ++counters_.wakes_received;
  engine()->make_hot(*this);
}

bool QueueConsumerImpl::drained() const {
  return tasks_.in_use() == 0 && !in_poll_ && back_.empty() && back_array_.empty();
}

void QueueConsumerImpl::leave_engine() {
  engine()->remove(*this);
  engine()->unwatch(end_->wake_fd());
}

// A stop() with nothing outstanding comes here at once.
void QueueConsumerImpl::on_idle() { leave_engine(); }

void QueueConsumerImpl::on_cut_off() {
  if (idle()) return;
  leave_engine();
  end_->close();
  while (const std::optional<std::uint16_t> index = end_->take_back()) {
    ReceiveTaskImpl& task = tasks_.all()[*index];
    task.state = TaskState::kAllocated;
    task.come_back(Error{Errc::shutdown, 0, "the consumer was cut off"});
    task_completed();
    // Nobody will ask for it.
    if (in_arrays()) tasks_.release(&task);
  }
  back_.clear();
  back_array_.clear();
}

bool QueueConsumerImpl::on_work() {
  bool did = false;
  if (ending_ && end_->posted() != 0) did = bring_back();
  return hand_back() || did;
}

// What has arrived first, and what was accepted and is on its way; then what will not be filled.
bool QueueConsumerImpl::bring_back() {
  if (in_arrays() && end_->ready()) return false;  // The application's to poll, which goes on.
  request_work();
  if (!in_arrays() && poll()) return true;
  if (!end_->drained()) return false;
  while (const std::optional<std::uint16_t> index = end_->take_back()) {
    ReceiveTaskImpl& task = tasks_.all()[*index];
    if (in_arrays()) {
      back_array_.push_back(task);
    } else {
      end_posting(task, kStopping);
    }
  }
  return true;
}

// --- Posting -----------------------------------------------------------------------------

namespace {

Status require_none(const Buffer* buffer) {
  if (buffer == nullptr) return {};
  return fail(Errc::invalid_value, "a MsgQ carries immediate data alone, and takes no buffer");
}

}  // namespace

Result<ReceiveTask*> QueueConsumerImpl::allocate(Buffer* buffer) {
  if (idle()) return fail(Errc::bad_state, "the consumer is not running");
  if (Status s = require_none(buffer); !s) return std::unexpected(s.error());
  if (Status s = use_tasks(); !s) return std::unexpected(s.error());
  const Result<ReceiveTaskImpl*> task = acquire();
  if (!task) return std::unexpected(task.error());
  return *task;
}

void QueueConsumerImpl::put_up(ReceiveTaskImpl& task) {
  set_submitted(task);
  end_->post(task.index);
}

Status QueueConsumerImpl::submit(ReceiveTaskImpl& task) {
  if (task.state != TaskState::kAllocated) {
    return fail(Errc::bad_state, "the task is posted already, or free");
  }
  if (idle()) return fail(Errc::bad_state, "the consumer is not running");
  if (ending_) {
    submit_late(task, kStopping);
    return {};
  }
  put_up(task);
  if (!in_poll_) end_->publish();
  return {};
}

Status QueueConsumerImpl::set_buffer(ReceiveTaskImpl& task, Buffer* buffer) {
  if (task.state != TaskState::kAllocated) return fail(Errc::bad_state, "the task is posted");
  return require_none(buffer);
}

Result<std::size_t> QueueConsumerImpl::post(std::span<Buffer* const> buffers) {
  if (state() != ContextState::kRunning) {
    return fail(Errc::bad_state, "the consumer is not running");
  }
  if (Status s = use_arrays(); !s) return std::unexpected(s.error());
  std::size_t count = 0;
  for (const Buffer* buffer : buffers) {
    ReceiveTaskImpl* task = require_none(buffer) ? tasks_.acquire() : nullptr;
    if (task == nullptr) break;
    put_up(*task);
    ++count;
  }
  end_->publish();
  return count;
}

// --- Receiving ---------------------------------------------------------------------------

ReceiveTaskImpl& QueueConsumerImpl::arrived(const Delivery& delivery) {
  ++counters_.received_messages;
  ++counters_.inline_messages;
  task_completed();
  return tasks_.all()[delivery.index];
}

void QueueConsumerImpl::hand_out(const Delivery& delivery) {
  ReceiveTaskImpl& task = arrived(delivery);
  task.state = TaskState::kAllocated;
  task.producer = delivery.producer;
  task.bring(delivery.immediate, {});
  received_(task);
}

bool QueueConsumerImpl::poll() {
  if (in_arrays()) return end_->ready() && engine()->heeds(*this);
  in_poll_ = true;
  const std::size_t count = end_->poll(kBudget, [this](const Delivery& each) { hand_out(each); });
  in_poll_ = false;
  if (!ending_) end_->publish();
  return count != 0;
}

template <class Put>
std::size_t QueueConsumerImpl::poll_array(std::size_t most, Put put) {
  if (idle() || !in_arrays()) return 0;
  std::size_t count = 0;
  end_->poll(most, [&](const Delivery& delivery) {
    ReceiveTaskImpl& task = arrived(delivery);
    put(count++, delivery);
    tasks_.release(&task);
  });
  if (ending_) request_work();
  return count;
}

std::size_t QueueConsumerImpl::poll(std::span<Received> out) {
  return poll_array(out.size(), [out](std::size_t n, const Delivery& delivery) {
    out[n] = {.buffer = nullptr,
              .length = 0,
              .immediate = delivery.immediate,
              .handed_over = {},
              .producer = delivery.producer};
  });
}

std::size_t QueueConsumerImpl::poll(std::span<Incoming> out, std::uint64_t user_data,
                                    std::uint32_t flags) {
  return poll_array(out.size(), [=](std::size_t n, const Delivery& delivery) {
    Incoming& record = out[n] = {};
    record.user_data = user_data;
    record.flags = flags;
    record.producer = delivery.producer;
    record.immediate_data = delivery.immediate.data();
    record.immediate_size = static_cast<std::uint32_t>(delivery.immediate.size());
  });
}

std::size_t QueueConsumerImpl::take_back(std::span<Buffer*> out) {
  std::size_t count = 0;
  while (count != out.size()) {
    ReceiveTaskImpl* task = back_array_.pop_front();
    if (task == nullptr) break;
    out[count++] = nullptr;
    task_completed();
    tasks_.release(task);
  }
  if (count != 0) request_work();
  return count;
}

Status QueueConsumerImpl::give_back(const HandedOver&) {
  return fail(Errc::invalid_value, "nothing is handed over by a MsgQ");
}

}  // namespace comch
