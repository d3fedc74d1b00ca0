// ConsumerCore: what consumers of a connection and of a MsgQ have in common: the configuration of
// receive tasks, their pool, and the way back of those whose posting ended without a message.
//
// Threads: the engine's. Lifetime: as the consumer, whose base it is.
#pragma once

#include <cstdint>

#include "base/intrusive_list.h"
#include "base/pool.h"
#include "comch/consumer.h"
#include "comch/receive_task.h"
#include "engine/context_core.h"

namespace comch {

class ConsumerCore : public engine::ContextCore {
 public:
  // Configuration and tasks; see Consumer and ReceiveTask.
  Status configure_receive(std::uint32_t tasks, Consumer::Handler received,
                           Consumer::Handler failed);
  std::uint32_t tasks() const { return configured_tasks_; }
  std::uint32_t immediate_size() const { return immediate_size_; }
  Status free(ReceiveTaskImpl& task);

 protected:
  ConsumerCore(Consumer& face, std::uint32_t immediate_size)
      : ContextCore(face), immediate_size_(immediate_size) {}

  // `why`: what a size above `most` is answered.
  Status store_immediate_size(std::uint32_t bytes, std::uint32_t most, const char* why);
  Status require_configured() const;

  // Makes the pool anew if its size was changed. `owner` is put into each task, where `member` is.
  template <class Owner>
  Status take_tasks(Owner* ReceiveTaskImpl::* member, Owner* owner);
  // How a consumer is used, which what comes first after its start decides for good.
  // bad_state: it is the other way.
  Status use_tasks();
  Status use_arrays();
  // It is used by views from its start on.
  void use_views() { use_ = Use::kViews; }
  Status require_no_views() const;                       // not_supported.
  bool in_tasks() const { return use_ <= Use::kTasks; }  // Or in nothing yet.
  bool in_arrays() const { return use_ == Use::kArrays; }
  bool in_views() const { return use_ == Use::kViews; }
  void forget_use() { use_ = Use::kNone; }

  // A task as if it were new. no_memory: every one is out.
  Result<ReceiveTaskImpl*> acquire();

  void set_submitted(ReceiveTaskImpl& task) {
    task.state = TaskState::kSubmitted;
    task_submitted();
  }
  // A task that is submitted too late: it comes back with the error.
  void submit_late(ReceiveTaskImpl& task, const Error& error);
  // The posting of a submitted task is over. Its error callback is due, in hand_back().
  void end_posting(ReceiveTaskImpl& task, const Error& error);
  // Calls some error callbacks that are due; true when there was one.
  bool hand_back();

  Consumer::Handler received_;
  Pool<ReceiveTaskImpl> tasks_;
  IntrusiveList<ReceiveTaskImpl> back_;  // Tasks whose error callback is due.
  bool in_poll_ = false;                 // Posts are published when it ends.

 private:
  enum class Use : std::uint8_t { kNone, kTasks, kArrays, kViews };
  static constexpr int kEndBudget = 256;  // Tasks that come back in one progress().

  std::uint32_t configured_tasks_ = 0;
  std::uint32_t immediate_size_;
  Consumer::Handler failed_;
  Use use_ = Use::kNone;
};

template <class Owner>
Status ConsumerCore::take_tasks(Owner* ReceiveTaskImpl::* member, Owner* owner) {
  if (tasks_.size() == configured_tasks_) return {};
  Result<Pool<ReceiveTaskImpl>> pool = Pool<ReceiveTaskImpl>::create(configured_tasks_);
  if (!pool) return std::unexpected(pool.error());
  tasks_ = std::move(*pool);
  std::uint16_t index = 0;
  for (ReceiveTaskImpl& task : tasks_.all()) {
    task.*member = owner;
    task.index = index++;
  }
  return {};
}

}  // namespace comch
