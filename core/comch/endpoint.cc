// Endpoint: see endpoint.h.
#include "comch/endpoint.h"

#include <utility>

#include "engine/engine.h"

namespace comch {

Endpoint::~Endpoint() { drop_all(); }

// --- Configuration -----------------------------------------------------------------------

Status Endpoint::check_within(std::uint32_t value, std::uint32_t limit) const {
  if (Status s = require_idle(); !s) return s;
  if (value == 0 || value > limit) {
    return fail(Errc::invalid_value,
                "the number is 0, or above the device's limit, which `comch stat` tells");
  }
  return {};
}

Status Endpoint::set_max_message_size(std::uint32_t bytes) {
  const Status s = check_within(bytes, capability_.max_message_size);
  if (s) limits_.max_message_size = bytes;
  return s;
}

Status Endpoint::set_recv_queue_size(std::uint32_t messages) {
  const Status s = check_within(messages, capability_.max_recv_queue_size);
  if (s) limits_.recv_queue_size = messages;
  return s;
}

Status Endpoint::configure_send(std::uint32_t tasks, Server::SendHandler sent,
                                Server::SendHandler failed) {
  if (Status s = check_within(tasks, capability_.max_send_tasks); !s) return s;
  if (!sent || !failed) return fail(Errc::invalid_value, "both send callbacks are mandatory");
  limits_.send_tasks = tasks;
  sent_ = std::move(sent);
  failed_ = std::move(failed);
  return {};
}

Status Endpoint::on_message(Server::MessageHandler handler) {
  if (Status s = require_idle(); !s) return s;
  if (!handler) return fail(Errc::invalid_value, "the receive callback is mandatory");
  on_message_ = std::move(handler);
  return {};
}

Status Endpoint::on_space(Server::SpaceHandler handler) {
  if (Status s = require_idle(); !s) return s;
  on_space_ = std::move(handler);
  return {};
}

Status Endpoint::on_consumer(Server::ConsumerHandler appeared, Server::ConsumerHandler expired) {
  if (Status s = require_idle(); !s) return s;
  if (!appeared || !expired) {
    return fail(Errc::invalid_value, "both consumer callbacks are mandatory");
  }
  consumer_appeared_ = std::move(appeared);
  consumer_expired_ = std::move(expired);
  return {};
}

Status Endpoint::check_common() const {
  if (limits_.send_tasks == 0) {
    return fail(Errc::bad_state,
                "send tasks and their callbacks are to be configured before the start");
  }
  if (!on_message_)
    return fail(Errc::bad_state, "the receive callback is to be set before the start");
  return {};
}

Status Endpoint::take_tasks() {
  if (tasks_.size() == limits_.send_tasks) return {};
  Result<Pool<SendTaskImpl>> pool = Pool<SendTaskImpl>::create(limits_.send_tasks);
  if (!pool) return std::unexpected(pool.error());
  tasks_ = std::move(*pool);
  for (SendTaskImpl& task : tasks_.all()) task.endpoint = this;
  return {};
}

// --- Tasks -------------------------------------------------------------------------------

Result<SendTask*> Endpoint::allocate_send(Connection& face, std::span<const std::byte> message) {
  ConnectionImpl& connection = ConnectionImpl::of(face);
  if (&connection.endpoint() != this) {
    return fail(Errc::invalid_value, "the connection belongs to another context");
  }
  if (state() != ContextState::kRunning && state() != ContextState::kStopping) {
    return fail(Errc::bad_state, "the context is not running");
  }
  if (Status s = require_home(); !s) return std::unexpected(s.error());
  if (is_over(&connection)) return fail(Errc::not_connected, "the connection has ended");
  if (message.size() > limits_.max_message_size) {
    return fail(Errc::too_big, "the message is longer than max_msg_size");
  }
  SendTaskImpl* task = tasks_.acquire();
  if (task == nullptr) return fail(Errc::no_memory, "every send task is out");
  task->connection = &connection;
  task->data = message.data();
  task->size = message.size();
  task->state = TaskState::kAllocated;
  task->error.reset();
  task->set_user_data({});
  return task;
}

Status Endpoint::submit(SendTaskImpl& task) {
  if (task.state != TaskState::kAllocated) {
    return fail(Errc::bad_state, "the task is submitted already, or free");
  }
  if (is_over(task.connection)) return fail(Errc::not_connected, "the connection has ended");
  task.state = TaskState::kSubmitted;
  task.delivered = false;
  task.place = 0;
  task.error.reset();
  task_submitted();
  if (task.connection != nullptr) [[likely]] {
    task.connection->submit(task);
  } else {
    complete(task, Error{Errc::shutdown, 0, "the connection has ended"});
  }
  return {};
}

Status Endpoint::cancel(SendTaskImpl& task) {
  if (task.state != TaskState::kSubmitted) return fail(Errc::bad_state, "it is not submitted");
  if (task.delivered || task.connection == nullptr || !task.connection->cancel(task)) {
    return fail(Errc::again, "too late: the message is delivered");
  }
  task.state = TaskState::kAllocated;
  task_completed();
  return {};
}

Status Endpoint::free(SendTaskImpl& task) {
  if (task.state != TaskState::kAllocated) {
    return fail(Errc::bad_state, "the task is submitted, or free already");
  }
  task.state = TaskState::kFree;
  task.connection = nullptr;
  tasks_.release(&task);
  if (state() == ContextState::kStopping) request_work();
  return {};
}

void Endpoint::complete(SendTaskImpl& task) {
  task.delivered = true;
  completions_.push_back(task);
  request_work();
}

void Endpoint::complete(SendTaskImpl& task, const Error& error) {
  task.error = error;
  complete(task);
}

bool Endpoint::run_completions() {
  bool did = false;
  for (int budget = kCompletionBudget; budget > 0; --budget) {
    SendTaskImpl* task = completions_.pop_front();
    if (task == nullptr) break;
    task->state = TaskState::kAllocated;
    task_completed();
    if (task->connection != nullptr) task->connection->task_done();
    (task->error ? failed_ : sent_)(*task);
    did = true;
  }
  return did;
}

// --- Connections -------------------------------------------------------------------------

ConnectionImpl& Endpoint::adopt(std::unique_ptr<transport::Channel> channel, std::uint64_t id,
                                const PeerIdentity& peer) {
  auto connection =
      std::make_unique<ConnectionImpl>(*this, ConnectionId{id}, std::move(channel), peer);
  return *(connections_[id] = std::move(connection));
}

void Endpoint::close_connections(bool deliver) {
  for (const auto& [id, connection] : connections_) connection->begin_close(deliver);
}

void Endpoint::ended(ConnectionImpl& connection) {
  ended_.push_back(connection);
  request_work();
}

void Endpoint::tell_of_consumer(ConnectionImpl& connection, ConsumerId id, bool appeared) {
  const Server::ConsumerHandler& handler = appeared ? consumer_appeared_ : consumer_expired_;
  if (handler) handler(connection, id);
}

// A peer that has ended may not be kept waiting by a stop that is refused.
Status Endpoint::check_stop() const {
  for (const auto& [id, connection] : connections_) {
    if (connection->state() == ConnectionState::kEstablished && connection->local_ends() != 0) {
      return fail(Errc::in_use, "a connection has consumers or producers; stop them first");
    }
  }
  return {};
}

void Endpoint::forget(ConnectionImpl& connection) {
  tasks_.for_each_lent([&](SendTaskImpl& task) {
    if (task.connection == &connection) task.connection = nullptr;
  });
}

bool Endpoint::report_ended() {
  // Those that end from here on have their turn in the next call, and so have those whose
  // tasks came back just now.
  IntrusiveList<ConnectionImpl> now;
  now.splice_back(ended_);
  bool did = false;
  while (ConnectionImpl* connection = now.pop_front()) {
    if (connection->in_flight() != 0) {
      ended_.push_back(*connection);
      continue;
    }
    connection->set_reported();
    auto node = connections_.extract(static_cast<std::uint64_t>(connection->id()));
    on_ended(std::move(node.mapped()));
    did = true;
  }
  if (!ended_.empty()) request_work();
  return did;
}

bool Endpoint::on_work() {
  bool did = run_completions();
  if (!completions_.empty()) {
    request_work();
  } else if (!ended_.empty()) {
    did = report_ended() || did;
  }
  return did;
}

void Endpoint::drop_all() {
  connections_.clear();
  completions_.clear();
  unconfirmed_tasks = 0;
  // No callback will bring these back: they are the caller's again, to be freed.
  tasks_.for_each_lent([&](SendTaskImpl& task) {
    if (task.state != TaskState::kSubmitted) return;
    task.state = TaskState::kAllocated;
    task.error = Error{Errc::shutdown, 0, "the context was cut off"};
    task_completed();
  });
}

}  // namespace comch
