// Hub: see hub.h.
#include "msgq/hub.h"

#include <utility>

namespace comch::msgq {

Result<std::uint32_t> Hub::join_consumer() {
  const std::lock_guard lock(mutex_);
  for (std::uint32_t n = 0; n < seats_.size(); ++n) {
    if (seats_[n].taken) continue;
    seats_[n].taken = true;
    ++consumers_;
    return n;
  }
  return fail(Errc::full, "the MsgQ has as many consumers as it may have");
}

void Hub::leave_consumer(std::uint32_t seat) {
  const std::lock_guard lock(mutex_);
  seats_[seat].taken = false;
  seats_[seat].mailbox.reset();
  --consumers_;
}

Result<ProducerId> Hub::join_producer() {
  const std::lock_guard lock(mutex_);
  if (producers_ == limits_.producers) {
    return fail(Errc::full, "the MsgQ has as many producers as it may have");
  }
  ++producers_;
  return static_cast<ProducerId>(++last_producer_);
}

void Hub::leave_producer() {
  const std::lock_guard lock(mutex_);
  --producers_;
}

std::uint32_t Hub::consumers() const {
  const std::lock_guard lock(mutex_);
  return consumers_;
}

std::uint32_t Hub::producers() const {
  const std::lock_guard lock(mutex_);
  return producers_;
}

std::shared_ptr<Mailbox> Hub::open(std::uint32_t seat, std::uint32_t depth,
                                   std::uint32_t immediate_max,
                                   std::shared_ptr<Doorbell> doorbell) {
  const std::lock_guard lock(mutex_);
  const Mailbox::Terms terms{next_id(seat), depth, immediate_max};
  seats_[seat].mailbox = std::make_shared<Mailbox>(terms, std::move(doorbell));
  return seats_[seat].mailbox;
}

void Hub::withdraw(std::uint32_t seat) {
  const std::lock_guard lock(mutex_);
  seats_[seat].mailbox.reset();
}

std::shared_ptr<Mailbox> Hub::find(ConsumerId id) const {
  const std::lock_guard lock(mutex_);
  const std::shared_ptr<Mailbox>& mailbox = seats_[seat_of(id)].mailbox;
  return mailbox != nullptr && mailbox->terms().id == id ? mailbox : nullptr;
}

ConsumerId Hub::next_id(std::uint32_t seat) {
  for (;;) {
    const std::uint32_t id = 1 + seat + limits_.consumers * seats_[seat].times++;
    if (id != 0 && id != 0xffff && seat_of(static_cast<ConsumerId>(id)) == seat) {
      return static_cast<ConsumerId>(id);
    }
  }
}

}  // namespace comch::msgq
