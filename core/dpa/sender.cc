// Sender: see sender.h.
#include "dpa/sender.h"

#include <utility>

namespace comch::dpa {

using msgq::Link;
using msgq::Outbox;
using msgq::Send;

Result<std::unique_ptr<Sender>> Sender::create(const Owner& owner, std::uint32_t operations) {
  Result<Pool<Send>> notes = Pool<Send>::create(operations);
  if (!notes) return std::unexpected(notes.error());
  return std::unique_ptr<Sender>(new Sender(owner, operations, std::move(*notes)));
}

Result<Sender::Operation> Sender::begin(const Submit& submit, ConsumerId consumer,
                                        std::span<const std::byte> immediate) {
  const Result<Send*> note = take_note(submit);
  if (!note) return std::unexpected(note.error());
  const Result<Outbox::Placed> placed = outbox_->put(consumer, immediate);
  if (!placed) {
    notes_.release(*note);
    return std::unexpected(placed.error());
  }
  (*note)->number = placed->number;
  return Operation{*note, &placed->link};
}

Result<Sender::Operation> Sender::begin(const Submit& submit) {
  const Result<Send*> note = take_note(submit);
  if (!note) return std::unexpected(note.error());
  return Operation{*note, nullptr};
}

Result<Send*> Sender::take_note(const Submit& submit) {
  if (notes_.full()) collect();
  Send* const note = notes_.acquire();
  if (note == nullptr) return fail(Errc::again, "as many operations as may be are not completed");
  note->user_data = submit.user_data;
  note->report = submit.report;
  note->lost = false;
  return note;
}

void Sender::finish(const Operation& operation) {
  if (operation.link == nullptr) return complete(*operation.note);
  outbox_->publish();
  operation.link->sends.push_back(*operation.note);
}

Result<bool> Sender::is_consumer_empty(ConsumerId consumer) {
  const Result<bool> space = outbox_->has_space(consumer);
  if (!space) return std::unexpected(space.error());
  return !*space;
}

bool Sender::has_completions() {
  collect();
  return !done_.empty();
}

bool Sender::next_completion(SendElement& element) {
  collect();
  Send* const note = done_.pop_front();
  if (note == nullptr) return false;
  element = {.status = {},
             .producer = owner_.producer,
             .user_data = note->user_data,
             .owner_user_data = owner_.user_data};
  if (note->lost) {
    element.status = fail(Errc::shutdown, "the consumer ended before it posted for the message");
  }
  notes_.release(note);
  return true;
}

void Sender::leave() {
  leaving_ = true;
  if (outbox_) outbox_->close();
}

bool Sender::is_over() {
  collect();
  return leaving_ && notes_.in_use() == 0;
}

// Messages to one consumer are delivered in order: who finds one that is not need look no further.
void Sender::collect() {
  if (!outbox_) return;
  for (const auto& link : outbox_->links()) collect(*link);
}

void Sender::collect(Link& link) {
  while (Send* const note = link.sends.front()) {
    const bool delivered = link.mailbox().is_delivered(note->number);
    note->lost = !delivered && link.mailbox().is_lost(note->number);
    if (!delivered && !note->lost) return;
    link.sends.remove(*note);
    complete(*note);
  }
}

void Sender::complete(Send& note) {
  if (note.report) {
    done_.push_back(note);
  } else {
    notes_.release(&note);
  }
}

}  // namespace comch::dpa
