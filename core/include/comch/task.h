// Task: one piece of work handed to a context. SendTask: a control message to send; the other
// kinds are ReceiveTask (consumer.h) and ProducerTask (producer.h).
//
// Tasks come from a pool that a context makes when it starts; none is allocated later.
//
//   SendTask* task = server->allocate_send(connection, message).value();
//   task->submit();             // the context owns it, and `message` must not change,
//   ...                         // until a callback of configure_send() gives it back:
//   server->configure_send(64, [](SendTask& sent) { sent.free(); }, ...);  // or submit() it again
//
// Threads: a task lives on the thread of its context's ProgressEngine.
// Order: tasks of one connection are sent in the order they were submitted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "comch/context.h"
#include "comch/result.h"

#pragma GCC visibility push(default)
namespace comch {

class Connection;

enum class TaskState : std::uint8_t { kFree, kAllocated, kSubmitted };

// What every kind has, for code that holds tasks of several. Errors: see the kind.
class Task {
 public:
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  virtual Status submit() = 0;
  // submit() for code that is in a hurry: true when the task was accepted. False says no more
  // than that; submit() says why, or accepts it after all.
  virtual bool try_submit() = 0;
  // try_submit() of one of many: it may be held back, to be handed over together with those behind
  // it. That happens at the next progress(), at flush() of the context, and ahead of anything else
  // that is submitted or sent there; and by itself when many are held. A reason against the task
  // that shows only then comes with its callback. ProducerTask says what is held.
  virtual bool try_submit_more() { return try_submit(); }
  // Gives the task back to the pool; the pointer is dead.
  // bad_state: it is submitted; wait for its callback.
  virtual Status free() = 0;
  // How the last submission ended. in_progress while it has not.
  virtual Status status() const = 0;
  virtual Context& context() const = 0;

  void set_user_data(UserData data) { user_data_ = data; }
  UserData user_data() const { return user_data_; }

 protected:
  Task() = default;
  ~Task() = default;

 private:
  UserData user_data_;
};

class SendTask : public Task {
 public:
  // Hands the task to its context. It comes back through exactly one callback, from
  // progress(): `sent` when the message is in the peer's queue and will be received
  // even if this process dies now, unless the peer ends the connection before it takes it;
  // else `failed` with status() saying why.
  // bad_state: it is submitted already, or free.
  // not_connected: the connection is gone; the caller keeps the task. Of a context that is stopping
  // it is taken all the same, and comes back through `failed`.
  Status submit() override = 0;

  // Takes back a task that is held because the peer's queue is full: it is the caller's
  // again and no callback will run.
  // bad_state: it is not submitted. again: too late, the message is delivered.
  Status cancel();

  // The connection it was made for; dead after that connection's end.
  Connection& connection() const;
  std::span<const std::byte> message() const;
  // Names another message of the caller's for the next submit().
  // bad_state: it is submitted. too_big: above the connection's maximum.
  Status set_message(std::span<const std::byte> message);

 protected:
  SendTask() = default;
  ~SendTask() = default;
};

}  // namespace comch
#pragma GCC visibility pop
