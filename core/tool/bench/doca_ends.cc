// DocaSender, DocaReceiver: tasks go round between a submission and their callback.
#include "tool/bench/doca_ends.h"

#include <doca_ctx.h>

#include <algorithm>
#include <tuple>

namespace comch::tool {
namespace {

// What both contexts want before their start.
Status tie(doca_ctx* ctx, doca_pe* pe, void* self) {
  Status status = status_of(doca_ctx_set_user_data(ctx, doca_data{.ptr = self}));
  if (status) status = status_of(doca_pe_connect_ctx(pe, ctx));
  return status;
}

}  // namespace

// --- DocaSender --------------------------------------------------------------------------

Status DocaSender::configure(doca_comch_connection* connection, doca_pe* pe) {
  idle_.reserve(depth_);
  Status status = make(producer_, doca_comch_producer_create, connection);
  if (status) {
    status = status_of(
        doca_comch_producer_task_send_set_conf(producer_.get(), on_sent, on_failed, depth_));
  }
  if (status) status = tie(ctx(), pe, this);
  return status;
}

void DocaSender::on_sent(doca_comch_producer_task_send* task, doca_data, doca_data self) {
  static_cast<DocaSender*>(self.ptr)->idle_.push_back(task);
}

void DocaSender::on_failed(doca_comch_producer_task_send* task, doca_data, doca_data self) {
  auto& sender = *static_cast<DocaSender*>(self.ptr);
  if (!sender.failure_) {
    sender.failure_ = error_of(doca_task_get_status(doca_comch_producer_task_send_as_task(task)));
  }
  sender.idle_.push_back(task);
}

Status DocaSender::begin(std::span<doca_buf* const> buffers) {
  for (; tasks_ < depth_; ++tasks_) {
    doca_comch_producer_task_send* task = nullptr;
    const Status made = status_of(doca_comch_producer_task_send_alloc_init(
        producer_.get(), buffers[tasks_ % buffers.size()], nullptr, 0, 0, &task));
    if (!made) return made;
    idle_.push_back(task);
  }
  return {};
}

Result<std::size_t> DocaSender::send(ConsumerId to, std::size_t most) {
  std::size_t sent = 0;
  for (; sent < most && !idle_.empty(); ++sent) {
    doca_comch_producer_task_send* const task = idle_.back();
    doca_comch_producer_task_send_set_consumer_id(task, static_cast<std::uint32_t>(to));
    const doca_error_t submitted = doca_task_submit(doca_comch_producer_task_send_as_task(task));
    if (submitted == DOCA_ERROR_AGAIN) break;
    if (submitted != DOCA_SUCCESS) return std::unexpected(error_of(submitted));
    idle_.pop_back();
  }
  return sent;
}

Result<bool> DocaSender::done() {
  if (failure_) return std::unexpected(*failure_);
  return idle_.size() == tasks_;
}

void DocaSender::end() {
  for (auto* task : idle_) doca_task_free(doca_comch_producer_task_send_as_task(task));
  idle_.clear();
}

ProducerId DocaSender::id() const {
  std::uint32_t id = 0;
  std::ignore = doca_comch_producer_get_id(producer_.get(), &id);
  return ProducerId{id};
}

// --- DocaReceiver ------------------------------------------------------------------------

Status DocaReceiver::configure(doca_comch_connection* connection, doca_pe* pe,
                               const DocaMemory& memory, std::uint32_t depth) {
  Status status = make(consumer_, doca_comch_consumer_create, connection, memory.map());
  if (status) {
    status = status_of(
        doca_comch_consumer_task_post_recv_set_conf(consumer_.get(), on_received, on_ended, depth));
  }
  if (status) status = tie(ctx(), pe, this);
  return status;
}

Status DocaReceiver::begin(std::span<doca_buf* const> buffers) {
  for (doca_buf* buffer : buffers) {
    doca_comch_consumer_task_post_recv* task = nullptr;
    Status status = status_of(doca_buf_reset_data_len(buffer));
    if (status) {
      status =
          status_of(doca_comch_consumer_task_post_recv_alloc_init(consumer_.get(), buffer, &task));
    }
    if (status) {
      status = status_of(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
    }
    if (!status) return status;
  }
  return {};
}

void DocaReceiver::on_received(doca_comch_consumer_task_post_recv* task, doca_data,
                               doca_data self) {
  auto& receiver = *static_cast<DocaReceiver*>(self.ptr);
  if (auto received = receiver.receive(task); !received && !receiver.failure_) {
    receiver.failure_ = received.error();
  }
}

void DocaReceiver::on_ended(doca_comch_consumer_task_post_recv* task, doca_data, doca_data) {
  doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

Status DocaReceiver::receive(doca_comch_consumer_task_post_recv* task) {
  arrived_.push_back(ProducerId{doca_comch_consumer_task_post_recv_get_producer_id(task)});
  doca_buf* const buffer = doca_comch_consumer_task_post_recv_get_buf(task);
  void* data = nullptr;
  std::size_t length = 0;
  std::ignore = doca_buf_get_data(buffer, &data);
  std::ignore = doca_buf_get_data_len(buffer, &length);
  if (auto expected = read_({static_cast<const std::byte*>(data), length}); !expected) {
    return expected;
  }
  std::ignore = doca_buf_reset_data_len(buffer);
  return status_of(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
}

Result<std::size_t> DocaReceiver::take(std::span<ProducerId> from) {
  if (failure_) return std::unexpected(*failure_);
  const std::size_t count = std::min(from.size(), arrived_.size());
  std::ranges::copy_n(arrived_.begin(), static_cast<std::ptrdiff_t>(count), from.begin());
  arrived_.erase(arrived_.begin(), arrived_.begin() + static_cast<std::ptrdiff_t>(count));
  return count;
}

ConsumerId DocaReceiver::id() const {
  std::uint32_t id = 0;
  std::ignore = doca_comch_consumer_get_id(consumer_.get(), &id);
  return ConsumerId{id};
}

}  // namespace comch::tool
