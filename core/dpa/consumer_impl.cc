// dpa::Consumer: see dpa_queue.h.
#include "dpa/consumer_impl.h"

#include <utility>

namespace comch::dpa {

// True: it was started.
bool ConsumerImpl::leave() {
  const std::lock_guard lock(mutex_);
  if (attachment_ == nullptr) return false;
  seat_.hub().withdraw(seat_.number());
  completion_->detach(*std::exchange(attachment_, nullptr));
  return true;
}

Result<std::unique_ptr<Consumer>> Consumer::create(MsgQ& queue) {
  Result<msgq::ConsumerSeat> seat =
      msgq::MsgQImpl::of(queue).join_consumer(msgq::Place::kAccelerator);
  if (!seat) return std::unexpected(seat.error());
  return std::make_unique<ConsumerImpl>(queue, *queue.accelerator_consumer(), std::move(*seat));
}

Status Consumer::destroy(std::unique_ptr<Consumer>& consumer) {
  if (consumer == nullptr) return fail(Errc::invalid_value, "there is no consumer to destroy");
  if (consumer->started()) return fail(Errc::in_use, "the consumer is started; stop it first");
  consumer.reset();
  return {};
}

Status Consumer::set_max_receives(std::uint32_t receives) {
  if (started()) return fail(Errc::bad_state, "the consumer is started");
  if (receives == 0 || receives > MsgQ::kMaxDepth) {
    return fail(Errc::invalid_value, "a consumer posts 1 to 8192 receives");
  }
  ConsumerImpl::of(*this).max_receives_ = receives;
  return {};
}

Status Consumer::set_immediate_size(std::uint32_t bytes) {
  if (started()) return fail(Errc::bad_state, "the consumer is started");
  if (bytes > MsgQ::kMaxImmediate) {
    return fail(Errc::invalid_value, "a message of a MsgQ has at most 32 bytes");
  }
  ConsumerImpl::of(*this).immediate_size_ = bytes;
  return {};
}

Status Consumer::set_completion(ConsumerCompletion& completion, std::uint32_t user_data) {
  if (started()) return fail(Errc::bad_state, "the consumer is started");
  ConsumerImpl& self = ConsumerImpl::of(*this);
  self.completion_ = &ConsumerCompletionImpl::of(completion);
  self.user_data_ = user_data;
  return {};
}

Status Consumer::start() {
  ConsumerImpl& self = ConsumerImpl::of(*this);
  if (self.is_away()) return refuse_away();
  if (started()) return fail(Errc::bad_state, "the consumer is started already");
  if (Status s = self.part_.accelerator().require_running(); !s) return s;
  if (self.max_receives_ == 0) return fail(Errc::bad_state, "say how many receives it posts");
  if (self.completion_ == nullptr) return fail(Errc::bad_state, "set a completion context first");
  if (Status s = self.completion_->require_room_for(self.immediate_size_); !s) return s;
  std::shared_ptr<msgq::Mailbox> mailbox = self.seat_.hub().open(
      self.seat_.number(), self.max_receives_, self.immediate_size_, self.completion_->doorbell());
  self.id_ = mailbox->terms().id;
  const std::lock_guard lock(self.mutex_);
  self.attachment_ = &self.completion_->attach(std::move(mailbox), self.user_data_);
  return {};
}

Status Consumer::stop() {
  ConsumerImpl& self = ConsumerImpl::of(*this);
  if (self.is_away()) return refuse_away();
  if (!self.leave()) return fail(Errc::bad_state, "the consumer is not started");
  return {};
}

bool Consumer::started() const { return ConsumerImpl::of(*this).started(); }
ConsumerId Consumer::id() const { return ConsumerImpl::of(*this).id_; }
std::uint32_t Consumer::max_receives() const { return ConsumerImpl::of(*this).max_receives_; }
std::uint32_t Consumer::immediate_size() const { return ConsumerImpl::of(*this).immediate_size_; }
MsgQ& Consumer::queue() const { return ConsumerImpl::of(*this).queue_; }

Status Consumer::ack(std::uint32_t count) {
  ConsumerImpl& self = ConsumerImpl::of(*this);
  std::unique_lock lock(self.mutex_);
  if (self.attachment_ == nullptr) return fail(Errc::bad_state, "the consumer is not started");
  return self.completion_->post(*self.attachment_, count);
}

}  // namespace comch::dpa
