// ConsumerCore: see consumer_core.h.
#include "comch/consumer_core.h"

#include <utility>

namespace comch {

Status ConsumerCore::configure_receive(std::uint32_t tasks, Consumer::Handler received,
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

Status ConsumerCore::store_immediate_size(std::uint32_t bytes, std::uint32_t most,
                                          const char* why) {
  if (Status s = require_idle(); !s) return s;
  if (bytes > most) return fail(Errc::invalid_value, why);
  immediate_size_ = bytes;
  return {};
}

Status ConsumerCore::require_configured() const {
  if (configured_tasks_ != 0) return {};
  return fail(Errc::bad_state,
              "receive tasks and their callbacks are to be configured before the start");
}

Status ConsumerCore::use_tasks() {
  if (use_ == Use::kArrays) return fail(Errc::bad_state, "the consumer is used through arrays");
  use_ = Use::kTasks;
  return {};
}

Status ConsumerCore::use_arrays() {
  if (use_ == Use::kTasks) return fail(Errc::bad_state, "the consumer is used through tasks");
  use_ = Use::kArrays;
  return {};
}

Status ConsumerCore::require_no_views() const {
  if (!in_views()) return {};
  return fail(Errc::not_supported, "the consumer's messages are looked at by poll_views()");
}

Result<ReceiveTaskImpl*> ConsumerCore::acquire() {
  if (Status s = require_home(); !s) return std::unexpected(s.error());
  ReceiveTaskImpl* task = tasks_.acquire();
  if (task == nullptr) return fail(Errc::no_memory, "every receive task is out");
  task->buffer = nullptr;
  task->state = TaskState::kAllocated;
  task->brought = ReceiveTaskImpl::Brought::kData;
  task->length = 0;
  task->set_user_data({});
  return task;
}

Status ConsumerCore::free(ReceiveTaskImpl& task) {
  if (task.state != TaskState::kAllocated) {
    return fail(Errc::bad_state, "the task is posted, or free already");
  }
  task.state = TaskState::kFree;
  tasks_.release(&task);
  if (state() == ContextState::kStopping) request_work();
  return {};
}

void ConsumerCore::submit_late(ReceiveTaskImpl& task, const Error& error) {
  set_submitted(task);
  task.come_back(error);
  back_.push_back(task);
  request_work();
}

void ConsumerCore::end_posting(ReceiveTaskImpl& task, const Error& error) {
  if (task.buffer != nullptr) task.buffer->end_posting(0);
  task.come_back(error);
  back_.push_back(task);
}

bool ConsumerCore::hand_back() {
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

}  // namespace comch
