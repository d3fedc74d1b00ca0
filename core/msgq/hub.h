// Hub: who takes part in a MsgQ, from its start to its stop.
//
// Each consumer has a seat; its id says the seat and, with every opening of a mailbox, is one
// that was never used before. The first is 1.
//
//   id = 1 + seat + seats * times, but never 0 and never 0xffff
//
// Threads: any. Lifetime: shared by the MsgQ and all who take part. Errors: see each call.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "comch/consumer.h"
#include "comch/result.h"
#include "msgq/mailbox.h"

namespace comch::msgq {

class Hub {
 public:
  struct Limits {
    std::uint32_t consumers = 1;
    std::uint32_t producers = 1;
  };

  explicit Hub(const Limits& limits) : limits_(limits), seats_(limits.consumers) {}

  std::uint32_t max_consumers() const { return limits_.consumers; }

  // The number of the seat. full: all are taken.
  Result<std::uint32_t> join_consumer();
  void leave_consumer(std::uint32_t seat);
  // full: there are as many as may be.
  Result<ProducerId> join_producer();
  void leave_producer();
  std::uint32_t consumers() const;
  std::uint32_t producers() const;

  // Opens the seat's mailbox, with a new id.
  std::shared_ptr<Mailbox> open(std::uint32_t seat, std::uint32_t depth,
                                std::uint32_t immediate_max, std::shared_ptr<Doorbell> doorbell);
  // Nobody finds the seat's mailbox any more.
  void withdraw(std::uint32_t seat);

  // Null: there is no such consumer.
  std::shared_ptr<Mailbox> find(ConsumerId id) const;
  // The seat that has or had the id; some seat for an impossible one.
  std::uint32_t seat_of(ConsumerId id) const {
    return (static_cast<std::uint32_t>(id) - 1U) % limits_.consumers;
  }

 private:
  struct Seat {
    bool taken = false;
    std::uint32_t times = 0;  // Mailboxes opened.
    std::shared_ptr<Mailbox> mailbox;
  };

  ConsumerId next_id(std::uint32_t seat);

  const Limits limits_;
  mutable std::mutex mutex_;
  std::vector<Seat> seats_;
  std::uint32_t consumers_ = 0;
  std::uint32_t producers_ = 0;
  std::uint32_t last_producer_ = 0;  // The last id given out.
};

// One consumer's place at a hub, which it leaves when this goes.
class ConsumerSeat {
 public:
  ConsumerSeat(std::shared_ptr<Hub> hub, std::uint32_t seat) : hub_(std::move(hub)), seat_(seat) {}
  ConsumerSeat(ConsumerSeat&&) noexcept = default;
  ConsumerSeat& operator=(ConsumerSeat&&) = delete;
  ~ConsumerSeat() {
    if (hub_ != nullptr) hub_->leave_consumer(seat_);
  }

  Hub& hub() const { return *hub_; }
  std::uint32_t number() const { return seat_; }

 private:
  std::shared_ptr<Hub> hub_;
  std::uint32_t seat_;
};

// One producer's place.
class ProducerSeat {
 public:
  ProducerSeat(std::shared_ptr<Hub> hub, ProducerId id) : hub_(std::move(hub)), id_(id) {}
  ProducerSeat(ProducerSeat&&) noexcept = default;
  ProducerSeat& operator=(ProducerSeat&&) = delete;
  ~ProducerSeat() {
    if (hub_ != nullptr) hub_->leave_producer();
  }

  const std::shared_ptr<Hub>& hub() const { return hub_; }
  ProducerId id() const { return id_; }

 private:
  std::shared_ptr<Hub> hub_;
  ProducerId id_;
};

}  // namespace comch::msgq
