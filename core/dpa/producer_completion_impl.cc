// ProducerCompletion, and ProducerCompletionImpl: see producer_completion_impl.h.
#include "dpa/producer_completion_impl.h"

#include <algorithm>
#include <bit>

namespace comch::dpa {

ProducerCompletionImpl::~ProducerCompletionImpl() {
  notifier_->stop();
  if (thread_ != nullptr) thread_->detach();
}

Result<Sender*> ProducerCompletionImpl::attach(std::unique_ptr<Sender> sender) {
  const std::lock_guard lock(mutex_);
  if (!started_) return fail(Errc::bad_state, "the completion context is not started");
  // Those that have left, and have completions to come, count: nothing here grows for ever.
  std::erase_if(senders_, [](const auto& each) { return each->is_over(); });
  if (senders_.size() >= kMaxAttached) {
    return fail(Errc::full, "the completion context has as many attached as it may have");
  }
  ++attached_;
  return senders_.emplace_back(std::move(sender)).get();
}

void ProducerCompletionImpl::detach(Sender& sender) {
  const std::lock_guard lock(mutex_);
  --attached_;
  sender.leave();
}

void ProducerCompletionImpl::drop(Sender& sender) {
  const std::lock_guard lock(mutex_);
  --attached_;
  std::erase_if(senders_, [&](const auto& each) { return each.get() == &sender; });
}

bool ProducerCompletionImpl::has_arrivals() {
  const std::lock_guard lock(mutex_);
  return started_ && !elements_.full() &&
         std::ranges::any_of(senders_, [](auto& each) { return each->has_completions(); });
}

const SendElement* ProducerCompletionImpl::get() {
  for (std::size_t left = senders_.size(); left != 0; --left) {
    if (turn_ >= senders_.size()) turn_ = 0;
    Sender& from = *senders_[turn_];
    SendElement& element = elements_.next();
    if (from.next_completion(element)) {
      elements_.take();
      ++turn_;
      return &element;
    }
    if (from.is_over()) {
      senders_.erase(senders_.begin() + static_cast<std::ptrdiff_t>(turn_));
    } else {
      ++turn_;
    }
  }
  return nullptr;
}

Result<std::unique_ptr<ProducerCompletion>> ProducerCompletion::create(Accelerator& accelerator,
                                                                       std::uint32_t elements) {
  if (elements == 0 || elements > kMaxElements) {
    return fail(Errc::invalid_value, "a completion context has 1 to 65536 elements");
  }
  if (Status s = AcceleratorImpl::of(accelerator).require_running(); !s) {
    return std::unexpected(s.error());
  }
  return std::make_unique<ProducerCompletionImpl>(accelerator, std::bit_ceil(elements));
}

Status ProducerCompletion::destroy(std::unique_ptr<ProducerCompletion>& completion) {
  if (completion == nullptr) return fail(Errc::invalid_value, "there is no completion context");
  if (completion->started()) return fail(Errc::in_use, "the completion context is started");
  completion.reset();
  return {};
}

Status ProducerCompletion::set_thread(Thread& thread) {
  if (started()) return fail(Errc::bad_state, "the completion context is started");
  ProducerCompletionImpl& self = ProducerCompletionImpl::of(*this);
  ThreadImpl::of(thread).attach();
  if (self.thread_ != nullptr) self.thread_->detach();
  self.thread_ = &ThreadImpl::of(thread);
  return {};
}

Status ProducerCompletion::start() {
  ProducerCompletionImpl& self = ProducerCompletionImpl::of(*this);
  if (self.is_away()) return refuse_away();
  if (started()) return fail(Errc::bad_state, "the completion context is started already");
  if (self.thread_ != nullptr && !self.thread_->started()) {
    return fail(Errc::bad_state, "start the thread first");
  }
  {
    const std::lock_guard lock(self.mutex_);
    if (!self.elements_.empty()) return refuse_unacknowledged();
    self.elements_.reset(self.size_);
    self.started_ = true;
  }
  self.notifier_->start(self.thread_);
  return {};
}

Status ProducerCompletion::stop() {
  ProducerCompletionImpl& self = ProducerCompletionImpl::of(*this);
  if (self.is_away()) return refuse_away();
  {
    const std::lock_guard lock(self.mutex_);
    if (!self.started_) return fail(Errc::bad_state, "the completion context is not started");
    if (self.attached_ != 0) return fail(Errc::in_use, "producers are attached; stop them first");
    self.started_ = false;
    self.senders_.clear();
  }
  self.notifier_->stop();
  return {};
}

bool ProducerCompletion::started() const {
  const ProducerCompletionImpl& self = ProducerCompletionImpl::of(*this);
  const auto lock = self.lock_at_home(self.mutex_);
  return self.started_;
}
std::uint32_t ProducerCompletion::elements() const {
  return ProducerCompletionImpl::of(*this).size_;
}
Thread* ProducerCompletion::thread() const { return ProducerCompletionImpl::of(*this).thread_; }

const SendElement* ProducerCompletion::get_completion() {
  ProducerCompletionImpl& self = ProducerCompletionImpl::of(*this);
  const std::lock_guard lock(self.mutex_);
  return self.started_ && !self.elements_.full() ? self.get() : nullptr;
}

Status ProducerCompletion::acknowledge(std::uint64_t count) {
  ProducerCompletionImpl& self = ProducerCompletionImpl::of(*this);
  {
    const std::lock_guard lock(self.mutex_);
    if (!self.started_ && self.elements_.empty()) {
      return fail(Errc::bad_state, "the completion context is not started");
    }
    if (!self.elements_.acknowledge(count)) {
      return fail(Errc::invalid_value, "there are not so many elements to acknowledge");
    }
  }
  self.notifier_->ring();  // For completions that had no room.
  return {};
}

Status ProducerCompletion::request_notification() {
  ProducerCompletionImpl& self = ProducerCompletionImpl::of(*this);
  if (!started()) return fail(Errc::bad_state, "the completion context is not started");
  if (self.thread_ == nullptr) return fail(Errc::bad_state, "there is no thread to notify");
  self.notifier_->arm();
  return {};
}

}  // namespace comch::dpa
