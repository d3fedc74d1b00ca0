// SendEnd: a producer of a MsgQ on the CPU, without the tasks and callbacks that a Producer puts
// around it.
//
//   auto end = SendEnd::create(queue).value();           // Has an id; the MsgQ cannot stop.
//   end->open();
//   Status s = end->put(consumer, immediate);            // again: nothing posted
//   end->publish();                                      // what was put since
//
// What is put is complete: the consumer will get it also when this end is closed.
//
// To sleep for a posted receive: arm(); if no consumer of interest has_space(), wait until
// wake_fd() is readable; disarm(), drain_wakes().
//
// Threads: the progress engine's. create() and destruction: any, one at a time.
// Lifetime: outlived by the MsgQ. Nothing is allocated but at the first message to a consumer.
// Errors: see each call.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "comch/msgq.h"
#include "comch/result.h"
#include "msgq/hub.h"
#include "msgq/outbox.h"

namespace comch::msgq {

class SendEnd {
 public:
  // bad_state: the MsgQ is not started. not_permitted: its producers run on the accelerator.
  // full: it has as many as it may have.
  static Result<std::unique_ptr<SendEnd>> create(MsgQ& queue);

  SendEnd(const SendEnd&) = delete;
  SendEnd& operator=(const SendEnd&) = delete;

  // bad_state: it is open. operating_system: there is no descriptor to wait on.
  Status open();
  ProducerId id() const { return seat_.id(); }

  // again: the consumer has nothing posted; clears by itself. invalid_value: no such consumer,
  // or it takes less immediate data. no_memory: at the first message to it.
  Status put(ConsumerId consumer, std::span<const std::byte> immediate);
  void publish() { outbox_->publish(); }
  // Whether there is such a consumer.
  bool knows(ConsumerId consumer) const { return outbox_->knows(consumer); }
  // Whether put() would be answered `again`. invalid_value, no_memory: as there.
  Result<bool> has_space(ConsumerId consumer) { return outbox_->has_space(consumer); }
  // Publishes what was put.
  void close() { outbox_.reset(); }

  // For sleeping. arm(): true: the caller owes a membarrier.
  [[nodiscard]] bool arm() { return sleeper_->arm(); }
  void disarm() { sleeper_->disarm(); }
  void relax();
  int wake_fd() const { return doorbell_->event().fd().get(); }
  void drain_wakes() { doorbell_->event().drain(); }

 private:
  explicit SendEnd(ProducerSeat seat) : seat_(std::move(seat)) {}

  const ProducerSeat seat_;
  std::shared_ptr<EventDoorbell> doorbell_;
  std::optional<shm::BellSleeper<>> sleeper_;
  std::optional<Outbox> outbox_;  // While open.
};

}  // namespace comch::msgq
