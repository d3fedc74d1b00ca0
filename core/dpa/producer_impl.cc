// dpa::Producer, and ProducerImpl: see producer_impl.h.
#include "dpa/producer_impl.h"

namespace comch::dpa {

// True: it was started.
bool ProducerImpl::leave() {
  const std::lock_guard lock(mutex_);
  if (sender_ == nullptr) return false;
  completion_->detach(*std::exchange(sender_, nullptr));
  return true;
}

Status ProducerImpl::send(ConsumerId consumer, std::span<const std::byte> immediate,
                          const Submit& submit, const Copy& copy) {
  const std::lock_guard lock(mutex_);
  if (sender_ == nullptr) return fail(Errc::bad_state, "the producer is not started");
  return completion_->operate(*sender_, submit, copy,
                              [&] { return sender_->begin(submit, consumer, immediate); });
}

Result<std::unique_ptr<Producer>> Producer::create(MsgQ& queue) {
  Result<msgq::ProducerSeat> seat =
      msgq::MsgQImpl::of(queue).join_producer(msgq::Place::kAccelerator);
  if (!seat) return std::unexpected(seat.error());
  return std::make_unique<ProducerImpl>(queue, *queue.accelerator_producer(), std::move(*seat));
}

Status Producer::destroy(std::unique_ptr<Producer>& producer) {
  if (producer == nullptr) return fail(Errc::invalid_value, "there is no producer to destroy");
  if (producer->started()) return fail(Errc::in_use, "the producer is started; stop it first");
  producer.reset();
  return {};
}

Status Producer::set_max_sends(std::uint32_t sends) {
  if (started()) return fail(Errc::bad_state, "the producer is started");
  if (sends == 0 || sends > MsgQ::kMaxDepth) {
    return fail(Errc::invalid_value, "a producer has 1 to 8192 sends under way");
  }
  ProducerImpl::of(*this).max_sends_ = sends;
  return {};
}

Status Producer::set_completion(ProducerCompletion& completion) {
  if (started()) return fail(Errc::bad_state, "the producer is started");
  ProducerImpl::of(*this).completion_ = &ProducerCompletionImpl::of(completion);
  return {};
}

Status Producer::set_user_data(UserData data) {
  if (started()) return fail(Errc::bad_state, "the producer is started");
  ProducerImpl::of(*this).user_data_ = data;
  return {};
}

Status Producer::start() {
  ProducerImpl& self = ProducerImpl::of(*this);
  if (self.is_away()) return refuse_away();
  if (started()) return fail(Errc::bad_state, "the producer is started already");
  if (Status s = self.part_.accelerator().require_running(); !s) return s;
  if (self.max_sends_ == 0) return fail(Errc::bad_state, "say how many sends may be under way");
  if (self.completion_ == nullptr) return fail(Errc::bad_state, "set a completion context first");
  Result<std::unique_ptr<Sender>> sender =
      Sender::create({self.seat_.id(), self.user_data_}, self.max_sends_);
  if (!sender) return std::unexpected(sender.error());
  (*sender)->open(self.seat_.hub(), self.completion_->doorbell());
  const Result<Sender*> attached = self.completion_->attach(std::move(*sender));
  if (!attached) return std::unexpected(attached.error());
  const std::lock_guard lock(self.mutex_);
  self.sender_ = *attached;
  return {};
}

Status Producer::stop() {
  ProducerImpl& self = ProducerImpl::of(*this);
  if (self.is_away()) return refuse_away();
  if (!self.leave()) return fail(Errc::bad_state, "the producer is not started");
  return {};
}

bool Producer::started() const { return ProducerImpl::of(*this).started(); }
ProducerId Producer::id() const { return ProducerImpl::of(*this).seat_.id(); }
std::uint32_t Producer::max_sends() const { return ProducerImpl::of(*this).max_sends_; }
MsgQ& Producer::queue() const { return ProducerImpl::of(*this).queue_; }

Status Producer::post_immediate(ConsumerId consumer, std::span<const std::byte> immediate,
                                const Submit& submit) {
  return ProducerImpl::of(*this).send(consumer, immediate, submit, Copy());
}

Status Producer::dma_copy(ConsumerId consumer, const MapAddress& to, const MapAddress& from,
                          std::size_t size, std::span<const std::byte> immediate,
                          const Submit& submit) {
  const Result<Copy> copy = Copy::check(to, from, size);
  if (!copy) return std::unexpected(copy.error());
  return ProducerImpl::of(*this).send(consumer, immediate, submit, *copy);
}

Result<bool> Producer::is_consumer_empty(ConsumerId consumer) {
  ProducerImpl& self = ProducerImpl::of(*this);
  const std::lock_guard lock(self.mutex_);
  if (self.sender_ == nullptr) return fail(Errc::bad_state, "the producer is not started");
  return self.completion_->locked([&] { return self.sender_->is_consumer_empty(consumer); });
}

}  // namespace comch::dpa
