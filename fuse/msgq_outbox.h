// MsgqOutbox: messages on their way to the accelerator's end of a MsgQ.
//
// Threads: the loop's. Lifetime: outlives its producer.
#pragma once

#include <memory>

#include "comch/msgq.h"
#include "comch/producer.h"
#include "outbox.h"

namespace comch::fuse {

class MsgqOutbox final : public Outbox {
 public:
  using Outbox::Outbox;

  Status send_first(std::span<const std::byte> message) override;
  std::size_t max_message_size() const override { return MsgQ::kMaxImmediate; }
  const char* why_too_long() const override;
  std::unique_ptr<Put> begin_put() override;
  int refusal() const override;
  const char* why_refused() const override {
    return "the producer does not run; write 1 to `enable`";
  }

  // Null: it does not run, and whoever waits is told `error`.
  void set_producer(Producer* producer, ConsumerId consumer, int error = ENXIO);
  // The object is no more: whoever waits gets `error`.
  void end(int error);

 private:
  bool can_send() const override { return producer_->has_space(consumer_); }
  void request_space() override { std::ignore = producer_->request_space(consumer_); }

  Producer* producer_ = nullptr;
  ConsumerId consumer_{};
  int end_ = 0;  // Once it has ended: an errno.
};

}  // namespace comch::fuse
