// Outbox: see outbox.h.
#include "msgq/outbox.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace comch::msgq {

Outbox::Outbox(std::shared_ptr<Hub> hub, ProducerId id, std::shared_ptr<Doorbell> doorbell,
               std::uint32_t held)
    : hub_(std::move(hub)),
      id_(id),
      doorbell_(std::move(doorbell)),
      held_(held),
      by_seat_(hub_->max_consumers()) {}

Result<Outbox::Placed> Outbox::put(ConsumerId consumer, std::span<const std::byte> immediate) {
  const Result<Link*> link = link_to(consumer);
  if (!link) return std::unexpected(link.error());
  if (immediate.size() > (*link)->mailbox().terms().immediate_max) {
    return fail(Errc::invalid_value, "the consumer takes less immediate data");
  }
  const auto hold = held_ == 0 ? Mailbox::Hold::kNo : Mailbox::Hold::kYes;
  const Result<std::uint64_t> number = (*link)->mailbox().claim(hold);
  if (!number) {
    const bool is_gone = number.error().code == Errc::not_found;
    return fail(is_gone ? Errc::invalid_value : number.error().code, number.error().what);
  }
  if (unpublished_ != *link) publish();
  unpublished_ = *link;
  unpublished_->put(*number, immediate);
  return Placed{**link, *number};
}

void Outbox::publish() {
  if (unpublished_ != nullptr) std::exchange(unpublished_, nullptr)->publish();
}

Result<bool> Outbox::has_space(ConsumerId consumer) {
  const Result<Link*> link = link_to(consumer);
  if (!link) return std::unexpected(link.error());
  return !(*link)->mailbox().is_empty();
}

bool Outbox::knows(ConsumerId consumer) const {
  const std::shared_ptr<Mailbox> mailbox = hub_->find(consumer);
  return mailbox != nullptr && !mailbox->closed();
}

Result<Link*> Outbox::link_to(ConsumerId consumer) {
  const std::uint32_t seat = hub_->seat_of(consumer);
  Link* const link = by_seat_[seat];
  if (link == nullptr || link->mailbox().terms().id != consumer) return connect(consumer, seat);
  if (link->mailbox().closed()) return fail(Errc::invalid_value, "the consumer is gone");
  return link;
}

Result<Link*> Outbox::connect(ConsumerId consumer, std::uint32_t seat) {
  std::shared_ptr<Mailbox> mailbox = hub_->find(consumer);
  if (mailbox == nullptr) return fail(Errc::invalid_value, "there is no such consumer");
  publish();
  forget_the_gone();
  Mailbox& target = *mailbox;
  const std::uint32_t slots = std::bit_ceil(target.terms().depth + held_);
  Result<std::shared_ptr<Link>> link = Link::create(id_, std::move(mailbox), doorbell_, slots);
  if (!link) return std::unexpected(link.error());
  by_seat_[seat] = link->get();
  links_.push_back(*link);
  target.introduce(std::move(*link));
  return by_seat_[seat];
}

void Outbox::forget_the_gone() {
  if (take_off_) take_off_();
  std::erase_if(links_, [this](const std::shared_ptr<Link>& link) {
    if (!link->mailbox().closed() || !link->sends.empty()) return false;
    std::ranges::replace(by_seat_, link.get(), nullptr);
    return true;
  });
}

void Outbox::close() {
  publish();
  for (const auto& link : links_) link->end();
}

}  // namespace comch::msgq
