// Messages on their way to the accelerator; see msgq_outbox.h.
#include "msgq_outbox.h"

#include "whole_put.h"

namespace comch::fuse {

Status MsgqOutbox::send_first(std::span<const std::byte> message) {
  if (refusal() != 0) return fail(Errc::not_connected, why_refused());
  const Outgoing outgoing{.data = {}, .immediate = message};
  const auto sent = producer_->send(consumer_, std::span(&outgoing, 1));
  return sent ? Status() : std::unexpected(sent.error());
}

const char* MsgqOutbox::why_too_long() const {
  static_assert(MsgQ::kMaxImmediate == 32);
  return "a MsgQ's message has at most 32 bytes";
}

std::unique_ptr<Put> MsgqOutbox::begin_put() { return std::make_unique<WholePut>(*this); }

int MsgqOutbox::refusal() const {
  if (end_ != 0) return end_;
  const bool runs = producer_ != nullptr && producer_->state() == ContextState::kRunning;
  return runs ? 0 : ENXIO;
}

void MsgqOutbox::set_producer(Producer* producer, ConsumerId consumer, int error) {
  producer_ = producer;
  consumer_ = consumer;
  if (producer_ == nullptr) {
    fail_all(error);
  } else {
    pollers.wake();
  }
}

void MsgqOutbox::end(int error) {
  end_ = error;
  fail_all(error);
}

}  // namespace comch::fuse
