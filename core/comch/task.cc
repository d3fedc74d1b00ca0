// SendTask: the public face of SendTaskImpl.
#include "comch/task.h"

#include "comch/endpoint.h"
#include "comch/send_task.h"

namespace comch {

Status SendTask::submit() {
  SendTaskImpl& task = SendTaskImpl::of(*this);
  return task.endpoint->submit(task);
}

Status SendTask::cancel() {
  SendTaskImpl& task = SendTaskImpl::of(*this);
  return task.endpoint->cancel(task);
}

Status SendTask::free() {
  SendTaskImpl& task = SendTaskImpl::of(*this);
  return task.endpoint->free(task);
}

Status SendTask::status() const {
  const SendTaskImpl& task = SendTaskImpl::of(*this);
  if (task.state == TaskState::kSubmitted) return fail(Errc::in_progress);
  if (task.error) return std::unexpected(*task.error);
  return {};
}

void SendTask::set_user_data(UserData data) { SendTaskImpl::of(*this).user_data = data; }
UserData SendTask::user_data() const { return SendTaskImpl::of(*this).user_data; }
Context& SendTask::context() const { return SendTaskImpl::of(*this).endpoint->face(); }
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
