// ProducerCore: see producer_core.h.
#include "comch/producer_core.h"

#include <utility>

namespace comch {

Status ProducerCore::configure_send(std::uint32_t tasks, Producer::Handler sent,
                                    Producer::Handler failed) {
  if (Status s = require_idle(); !s) return s;
  if (tasks == 0 || tasks > Producer::kMaxTasks) {
    return fail(Errc::invalid_value, "a producer has 1 to 8,192 tasks");
  }
  if (!sent || !failed) return fail(Errc::invalid_value, "both send callbacks are mandatory");
  configured_tasks_ = tasks;
  sent_ = std::move(sent);
  failed_ = std::move(failed);
  return {};
}

Status ProducerCore::on_space(Producer::SpaceHandler handler) {
  const Status s = require_idle();
  if (s) on_space_ = std::move(handler);
  return s;
}

Status ProducerCore::require_configured() const {
  if (configured_tasks_ != 0) return {};
  return fail(Errc::bad_state,
              "send tasks and their callbacks are to be configured before the start");
}

Status ProducerCore::require_running() const {
  if (state() == ContextState::kRunning) return {};
  const bool stopping = state() == ContextState::kStopping;
  return fail(stopping ? Errc::shutdown : Errc::bad_state, "the producer is not running");
}

Result<ProducerTaskImpl*> ProducerCore::acquire(Bytes immediate, ConsumerId consumer) {
  if (Status s = require_home(); !s) return std::unexpected(s.error());
  ProducerTaskImpl* task = tasks_.acquire();
  if (task == nullptr) return fail(Errc::no_memory, "every send task is out");
  task->buffer = nullptr;
  task->set_immediate_bytes(immediate);
  task->consumer = static_cast<std::uint32_t>(consumer);
  task->state = TaskState::kAllocated;
  task->failed = false;
  task->set_user_data({});
  return task;
}

Status ProducerCore::free(ProducerTaskImpl& task) {
  if (task.state != TaskState::kAllocated) {
    return fail(Errc::bad_state, "the task is submitted, or free already");
  }
  task.state = TaskState::kFree;
  tasks_.release(&task);
  if (state() == ContextState::kStopping) request_work();
  return {};
}

bool ProducerCore::on_work() {
  bool did = false;
  for (int budget = kCompletionBudget; budget > 0; --budget) {
    ProducerTaskImpl* task = completions_.pop_front();
    if (task == nullptr) return did;
    task->state = TaskState::kAllocated;
    task_completed();
    (task->failed ? failed_ : sent_)(*task);
    did = true;
  }
  request_work();
  return did;
}

}  // namespace comch
