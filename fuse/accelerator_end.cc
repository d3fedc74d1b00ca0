// How a MsgQ's run begins and ends; see accelerator_end.h. What the kernel does in between is in
// accelerator_run.cc.
#include "accelerator_end.h"

#include <tuple>
#include <utility>

namespace comch::fuse {
namespace {

// Whatever state it is in, and whether there is any.
template <class Part>
void end(std::unique_ptr<Part>& part) {
  if (part == nullptr) return;
  if (part->started()) std::ignore = part->stop();
  std::ignore = Part::destroy(part);
}

template <class Part, class... Arguments>
Status make(std::unique_ptr<Part>& part, Arguments&&... arguments) {
  auto made = Part::create(std::forward<Arguments>(arguments)...);
  if (!made) return std::unexpected(made.error());
  part = std::move(*made);
  return {};
}

}  // namespace

Result<std::shared_ptr<AcceleratorEnd>> AcceleratorEnd::create(const Settings& settings,
                                                               Kernel kernel,
                                                               std::shared_ptr<const Bell> bell) {
  auto made = std::make_shared<AcceleratorEnd>(std::move(kernel), std::move(bell));
  if (const Status set = made->set_up(settings); !set) return std::unexpected(set.error());
  return made;
}

Status AcceleratorEnd::set_up(const Settings& settings) {
  if (Status s = make(accelerator_, settings.device); !s) return s;
  if (Status s = accelerator_->start(); !s) return s;
  if (Status s = set_up_thread(); !s) return s;
  if (goes_from_accelerator(settings.direction)) {
    if (Status s = set_up_sending(settings); !s) return s;
  }
  if (goes_to_accelerator(settings.direction)) {
    if (Status s = set_up_receiving(settings); !s) return s;
  }
  if (Status s = thread_->run(); !s) return s;
  return notification_->notify();  // The kernel's start.
}

Status AcceleratorEnd::set_up_thread() {
  if (Status s = make(thread_, *accelerator_); !s) return s;
  if (Status s = thread_->set_kernel([this](dpa::Run& one) { run(one); }); !s) return s;
  if (Status s = thread_->start(); !s) return s;
  if (Status s = make(notification_, *thread_); !s) return s;
  return notification_->start();
}

Status AcceleratorEnd::set_up_sending(const Settings& settings) {
  if (Status s = make(up_, settings.device); !s) return s;
  if (Status s = up_->set_accelerator_producer(*accelerator_); !s) return s;
  if (Status s = up_->set_max_consumers(settings.max_consumers); !s) return s;
  if (Status s = up_->start(); !s) return s;
  if (Status s = make(completions_, *accelerator_, settings.depth); !s) return s;
  if (Status s = completions_->start(); !s) return s;
  if (Status s = make(producer_, *up_); !s) return s;
  if (Status s = producer_->set_max_sends(settings.depth); !s) return s;
  if (Status s = producer_->set_completion(*completions_); !s) return s;
  return producer_->start();
}

Status AcceleratorEnd::set_up_receiving(const Settings& settings) {
  if (Status s = make(down_, settings.device); !s) return s;
  if (Status s = down_->set_accelerator_consumer(*accelerator_); !s) return s;
  if (Status s = down_->set_max_producers(settings.max_producers); !s) return s;
  if (Status s = down_->start(); !s) return s;
  if (Status s = make(arrivals_); !s) return s;
  if (Status s = arrivals_->set_max_receives(settings.depth); !s) return s;
  if (Status s = arrivals_->set_thread(*thread_); !s) return s;
  if (Status s = arrivals_->start(); !s) return s;
  if (Status s = make(consumer_, *down_); !s) return s;
  if (Status s = consumer_->set_max_receives(settings.depth); !s) return s;
  if (Status s = consumer_->set_completion(*arrivals_, 0); !s) return s;
  if (Status s = consumer_->start(); !s) return s;
  return consumer_->ack(settings.depth);
}

bool AcceleratorEnd::is_left_alone() const {
  return (down_ == nullptr || down_->producers() == 0) && (up_ == nullptr || up_->consumers() == 0);
}

void AcceleratorEnd::stop(bool at_once) {
  if (accelerator_ == nullptr) return;
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  const bool runs = thread_ != nullptr && thread_->started();
  if (runs && !at_once && arrivals_ != nullptr) let_kernel_finish();
  if (runs) std::ignore = thread_->stop();
  say_goodbye();
  end(notification_);
  end(producer_);
  end(consumer_);
  end(completions_);
  end(arrivals_);
  std::ignore = dpa::Thread::destroy(thread_);
  end(up_);
  end(down_);
  end(accelerator_);
}

// One more run, which begins after this.
void AcceleratorEnd::let_kernel_finish() {
  std::unique_lock lock(mutex_);
  const std::uint64_t wanted = ++runs_wanted_;
  std::ignore = notification_->notify();
  run_ended_.wait(lock, [&] { return runs_ended_ >= wanted || failure_; });
}

// The thread has ended: the kernel is told from here, and what it did not deal with is counted.
void AcceleratorEnd::say_goodbye() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  if (has_started_) std::ignore = call(COMCH_KERNEL_STOP, {});
  has_started_ = false;
  std::uint64_t dropped = offered_ == nullptr ? 0 : 1;
  while (arrivals_ != nullptr && arrivals_->get_completion() != nullptr) ++dropped;
  if (dropped > 0) std::ignore = arrivals_->acknowledge(dropped);
  offered_ = nullptr;
  const std::lock_guard lock(mutex_);
  counts_.dropped += dropped;
}

}  // namespace comch::fuse
