// ConsumerCompletion, and ConsumerCompletionImpl: see consumer_completion_impl.h.
#include "dpa/consumer_completion_impl.h"

#include <algorithm>
#include <utility>

namespace comch::dpa {

ConsumerCompletionImpl::~ConsumerCompletionImpl() {
  notifier_->stop();
  if (thread_ != nullptr) thread_->detach();
}

Status ConsumerCompletionImpl::require_room_for(std::uint32_t immediate_size) {
  const std::lock_guard lock(mutex_);
  if (!started_) return fail(Errc::bad_state, "the completion context is not started");
  if (immediate_size > immediate_size_) {
    return fail(Errc::invalid_value, "the completion context takes less immediate data");
  }
  // Those that have left, and have messages to be got, count: nothing here grows for ever.
  forget_the_drained();
  if (attachments_.size() >= max_consumers_) {
    return fail(Errc::full, "the completion context has as many consumers as it may have");
  }
  return {};
}

ConsumerCompletionImpl::Attachment& ConsumerCompletionImpl::attach(
    std::shared_ptr<msgq::Mailbox> mailbox, std::uint32_t user_data) {
  const std::lock_guard lock(mutex_);
  ++consumers_;
  attachments_.push_back(std::make_unique<Attachment>(std::move(mailbox), user_data));
  return *attachments_.back();
}

void ConsumerCompletionImpl::detach(Attachment& attachment) {
  const std::lock_guard lock(mutex_);
  --consumers_;
  attachment.leaving = true;
  attachment.inbox.close();
}

Status ConsumerCompletionImpl::post(Attachment& attachment, std::uint32_t count) {
  {
    const std::lock_guard lock(mutex_);
    if (count > attachment.inbox.terms().depth - attachment.inbox.outstanding()) {
      return fail(Errc::invalid_value, "more receives would be posted than the queue holds");
    }
    attachment.inbox.post(count);
  }
  notifier_->ring();  // For messages that were held.
  return {};
}

bool ConsumerCompletionImpl::has_arrivals() {
  const std::lock_guard lock(mutex_);
  return started_ && !elements_.full() &&
         std::ranges::any_of(attachments_, [](auto& each) { return each->inbox.ready(); });
}

const ReceiveElement* ConsumerCompletionImpl::get() {
  for (std::size_t left = attachments_.size(); left != 0; --left) {
    if (turn_ >= attachments_.size()) turn_ = 0;
    Attachment& from = *attachments_[turn_];
    Element& element = elements_.next();
    msgq::Arrival arrival;
    if (from.inbox.take(element.bytes, arrival)) {
      element.face = {std::span(element.bytes).first(arrival.length), arrival.producer,
                      from.inbox.terms().id, from.user_data};
      elements_.take();
      ++turn_;
      return &element.face;
    }
    if (from.leaving && from.inbox.drained()) {
      attachments_.erase(attachments_.begin() + static_cast<std::ptrdiff_t>(turn_));
    } else {
      ++turn_;
    }
  }
  return nullptr;
}

void ConsumerCompletionImpl::forget_the_drained() {
  std::erase_if(attachments_,
                [](const auto& each) { return each->leaving && each->inbox.drained(); });
}

Result<std::unique_ptr<ConsumerCompletion>> ConsumerCompletion::create() {
  return std::make_unique<ConsumerCompletionImpl>();
}

Status ConsumerCompletion::destroy(std::unique_ptr<ConsumerCompletion>& completion) {
  if (completion == nullptr) return fail(Errc::invalid_value, "there is no completion context");
  if (completion->started()) return fail(Errc::in_use, "the completion context is started");
  completion.reset();
  return {};
}

Status ConsumerCompletion::set_max_consumers(std::uint32_t consumers) {
  if (started()) return fail(Errc::bad_state, "the completion context is started");
  if (consumers == 0 || consumers > kMaxConsumers) {
    return fail(Errc::invalid_value, "a completion context takes 1 to 1024 consumers");
  }
  ConsumerCompletionImpl::of(*this).max_consumers_ = consumers;
  return {};
}

Status ConsumerCompletion::set_max_receives(std::uint32_t receives) {
  if (started()) return fail(Errc::bad_state, "the completion context is started");
  if (receives == 0 || receives > MsgQ::kMaxDepth) {
    return fail(Errc::invalid_value, "a completion context has 1 to 8192 elements");
  }
  ConsumerCompletionImpl::of(*this).max_receives_ = receives;
  return {};
}

Status ConsumerCompletion::set_immediate_size(std::uint32_t bytes) {
  if (started()) return fail(Errc::bad_state, "the completion context is started");
  if (bytes > MsgQ::kMaxImmediate) {
    return fail(Errc::invalid_value, "a message of a MsgQ has at most 32 bytes");
  }
  ConsumerCompletionImpl::of(*this).immediate_size_ = bytes;
  return {};
}

Status ConsumerCompletion::set_thread(Thread& thread) {
  if (started()) return fail(Errc::bad_state, "the completion context is started");
  ConsumerCompletionImpl& self = ConsumerCompletionImpl::of(*this);
  ThreadImpl::of(thread).attach();
  if (self.thread_ != nullptr) self.thread_->detach();
  self.thread_ = &ThreadImpl::of(thread);
  return {};
}

Status ConsumerCompletion::start() {
  ConsumerCompletionImpl& self = ConsumerCompletionImpl::of(*this);
  if (self.is_away()) return refuse_away();
  if (started()) return fail(Errc::bad_state, "the completion context is started already");
  if (self.max_receives_ == 0) return fail(Errc::bad_state, "say how many receives it keeps");
  if (self.thread_ != nullptr && !self.thread_->started()) {
    return fail(Errc::bad_state, "start the thread first");
  }
  {
    const std::lock_guard lock(self.mutex_);
    if (!self.elements_.empty()) return refuse_unacknowledged();
    self.elements_.reset(self.max_receives_);
    self.started_ = true;
  }
  self.notifier_->start(self.thread_);
  return {};
}

Status ConsumerCompletion::stop() {
  ConsumerCompletionImpl& self = ConsumerCompletionImpl::of(*this);
  if (self.is_away()) return refuse_away();
  {
    const std::lock_guard lock(self.mutex_);
    if (!self.started_) return fail(Errc::bad_state, "the completion context is not started");
    if (self.consumers_ != 0) return fail(Errc::in_use, "consumers are attached; stop them first");
    self.started_ = false;
    self.attachments_.clear();
  }
  self.notifier_->stop();
  return {};
}

bool ConsumerCompletion::started() const {
  const ConsumerCompletionImpl& self = ConsumerCompletionImpl::of(*this);
  const auto lock = self.lock_at_home(self.mutex_);
  return self.started_;
}
std::uint32_t ConsumerCompletion::max_consumers() const {
  return ConsumerCompletionImpl::of(*this).max_consumers_;
}
std::uint32_t ConsumerCompletion::max_receives() const {
  return ConsumerCompletionImpl::of(*this).max_receives_;
}
std::uint32_t ConsumerCompletion::immediate_size() const {
  return ConsumerCompletionImpl::of(*this).immediate_size_;
}
Thread* ConsumerCompletion::thread() const { return ConsumerCompletionImpl::of(*this).thread_; }

const ReceiveElement* ConsumerCompletion::get_completion() {
  ConsumerCompletionImpl& self = ConsumerCompletionImpl::of(*this);
  const std::lock_guard lock(self.mutex_);
  return self.started_ && !self.elements_.full() ? self.get() : nullptr;
}

Status ConsumerCompletion::acknowledge(std::uint64_t count) {
  ConsumerCompletionImpl& self = ConsumerCompletionImpl::of(*this);
  {
    const std::lock_guard lock(self.mutex_);
    if (!self.started_ && self.elements_.empty()) {
      return fail(Errc::bad_state, "the completion context is not started");
    }
    if (!self.elements_.acknowledge(count)) {
      return fail(Errc::invalid_value, "there are not so many elements to acknowledge");
    }
  }
  self.notifier_->ring();  // For messages that had no room.
  return {};
}

Status ConsumerCompletion::request_notification() {
  ConsumerCompletionImpl& self = ConsumerCompletionImpl::of(*this);
  if (!started()) return fail(Errc::bad_state, "the completion context is not started");
  if (self.thread_ == nullptr) return fail(Errc::bad_state, "there is no thread to notify");
  self.notifier_->arm();
  return {};
}

}  // namespace comch::dpa
