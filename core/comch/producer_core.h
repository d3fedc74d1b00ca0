// ProducerCore: what producers of a connection and of a MsgQ have in common: the configuration of
// send tasks, their pool, and the callbacks of those that are complete.
//
// Threads: the engine's. Lifetime: as the producer, whose base it is.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/fifo.h"
#include "base/pool.h"
#include "comch/producer.h"
#include "comch/producer_task.h"
#include "engine/context_core.h"

namespace comch {

class ProducerCore : public engine::ContextCore {
 public:
  using Bytes = std::span<const std::byte>;

  // Configuration and tasks; see Producer and ProducerTask.
  Status configure_send(std::uint32_t tasks, Producer::Handler sent, Producer::Handler failed);
  Status on_space(Producer::SpaceHandler handler);
  std::uint32_t tasks() const { return configured_tasks_; }
  Status free(ProducerTaskImpl& task);

 protected:
  explicit ProducerCore(Producer& face) : ContextCore(face) {}

  Status require_configured() const;
  Status require_running() const;

  // Makes the pool anew if its size was changed. `owner` is put into each task, where `member` is.
  template <class Owner>
  Status take_tasks(Owner* ProducerTaskImpl::* member, Owner* owner);
  // A task as if it were new. no_memory: every one is out.
  Result<ProducerTaskImpl*> acquire(Bytes immediate, ConsumerId consumer);

  // The task is the engine's, until it is complete.
  void accept(ProducerTaskImpl& task) {
    task.state = TaskState::kSubmitted;
    task.failed = false;
    task_submitted();
  }
  // Its callback is due.
  void complete(ProducerTaskImpl& task, const std::optional<Error>& error) {
    if (error) task.fail_with(*error);
    completions_.push_back(task);
    request_work();
  }
  void tell_of_space(ConsumerId consumer) {
    if (on_space_) on_space_(static_cast<Producer&>(face()), consumer);
  }

  bool on_work() override;

  Pool<ProducerTaskImpl> tasks_;
  Fifo<ProducerTaskImpl> completions_;  // Each task once, at most.

 private:
  static constexpr int kCompletionBudget = 256;  // Callbacks of one progress().

  std::uint32_t configured_tasks_ = 0;
  Producer::Handler sent_;
  Producer::Handler failed_;
  Producer::SpaceHandler on_space_;
};

template <class Owner>
Status ProducerCore::take_tasks(Owner* ProducerTaskImpl::* member, Owner* owner) {
  if (tasks_.size() == configured_tasks_) return {};
  Result<Pool<ProducerTaskImpl>> pool = Pool<ProducerTaskImpl>::create(configured_tasks_);
  if (!pool) return std::unexpected(pool.error());
  Result<Fifo<ProducerTaskImpl>> due = Fifo<ProducerTaskImpl>::create(configured_tasks_);
  if (!due) return std::unexpected(due.error());
  tasks_ = std::move(*pool);
  completions_ = std::move(*due);
  for (ProducerTaskImpl& task : tasks_.all()) task.*member = owner;
  return {};
}

}  // namespace comch
