// Outbox: the sending half of a MsgQ's producer, wherever that runs.
//
//   Outbox outbox(hub, id, doorbell, 0);
//   Result<Placed> placed = outbox.put(consumer, immediate);   // again: nothing posted
//   outbox.publish();                                          // all that was put since
//
// Nothing is allocated but at the first message to a consumer. A message is accepted only for a
// receive that is posted; or, with `held`, ahead of it, and then it is for the caller to see to
// it that never more than `held` of them are not delivered.
//
// Threads: one at a time. Lifetime: shares the hub and the links; what was put is delivered
// also when the outbox is gone. Errors: see each call.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "comch/result.h"
#include "msgq/hub.h"
#include "msgq/link.h"

namespace comch::msgq {

class Outbox {
 public:
  struct Placed {
    Link& link;
    std::uint64_t number;
  };

  Outbox(std::shared_ptr<Hub> hub, ProducerId id, std::shared_ptr<Doorbell> doorbell,
         std::uint32_t held);
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;
  ~Outbox() { close(); }

  // again: nothing is posted. invalid_value: no such consumer, or it takes less immediate data.
  // no_memory: there is none for the first message to a consumer.
  Result<Placed> put(ConsumerId consumer, std::span<const std::byte> immediate);
  void publish();

  // Whether there is such a consumer.
  bool knows(ConsumerId consumer) const;
  // Whether a message would fill a receive that is posted. Errors as for put().
  Result<bool> has_space(ConsumerId consumer);
  // The link to a consumer, made if need be. Errors as for put().
  Result<Link*> link_to(ConsumerId consumer);

  // `take_off` is called when a link is to be made and those to consumers that are gone are let go
  // of: to take off the notes that would keep them.
  void on_new_link(std::function<void()> take_off) { take_off_ = std::move(take_off); }
  // The links there are. Those to consumers that are gone stay while they have notes.
  std::span<const std::shared_ptr<Link>> links() const { return links_; }

  // Nothing more is put; publishes what was.
  void close();

 private:
  Result<Link*> connect(ConsumerId consumer, std::uint32_t seat);
  void forget_the_gone();

  const std::shared_ptr<Hub> hub_;
  const ProducerId id_;
  const std::shared_ptr<Doorbell> doorbell_;
  const std::uint32_t held_;
  std::function<void()> take_off_;
  std::vector<std::shared_ptr<Link>> links_;
  std::vector<Link*> by_seat_;
  Link* unpublished_ = nullptr;
};

}  // namespace comch::msgq
