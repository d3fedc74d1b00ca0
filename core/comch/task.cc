// SendTask: the public face of SendTaskImpl, and what it asks of its endpoint.
#include "comch/task.h"

#include "comch/endpoint.h"
#include "comch/send_task.h"

namespace comch {

Status SendTaskImpl::submit() { return endpoint->submit(*this); }
bool SendTaskImpl::try_submit() { return endpoint->submit(*this).has_value(); }
Status SendTaskImpl::free() { return endpoint->free(*this); }

Status SendTaskImpl::status() const {
  if (state == TaskState::kSubmitted) return fail(Errc::in_progress);
  if (error) return std::unexpected(*error);
  return {};
}

Context& SendTaskImpl::context() const { return endpoint->face(); }

Status SendTask::cancel() {
  SendTaskImpl& task = SendTaskImpl::of(*this);
  return task.endpoint->cancel(task);
}

Connection& SendTask::connection() const { return *SendTaskImpl::of(*this).connection; }

std::span<const std::byte> SendTask::message() const {
  const SendTaskImpl& task = SendTaskImpl::of(*this);
  return {task.data, task.size};
}

Status SendTask::set_message(std::span<const std::byte> message) {
  SendTaskImpl& task = SendTaskImpl::of(*this);
  if (task.state != TaskState::kAllocated) return fail(Errc::bad_state, "the task is submitted");
  if (message.size() > task.endpoint->limits().max_message_size) {
    return fail(Errc::too_big, "the message is longer than max_msg_size");
  }
  task.data = message.data();
  task.size = message.size();
  return {};
}

}  // namespace comch
