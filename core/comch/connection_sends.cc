// ConnectionImpl: sending: messages at once, tasks that wait for room, and for the word that what
// was sent has arrived.
#include "comch/connection_impl.h"
#include "comch/endpoint.h"
#include "engine/engine.h"

namespace comch {

void ConnectionImpl::count_sent(std::size_t bytes) {
  ++counters_.sent_messages;
  counters_.sent_bytes += bytes;
  ++sent_;
}

Status ConnectionImpl::try_send(std::span<const std::byte> message) {
  if (message.size() > endpoint_.limits().max_message_size) {
    return fail(Errc::too_big, "the message is longer than max_msg_size");
  }
  switch (state_) {
    case ConnectionState::kEstablished:
      break;
    case ConnectionState::kDraining:
      return fail(Errc::connection_reset, "the peer is gone");
    default:
      return fail(Errc::bad_state, "the connection is closing");
  }
  if (!pending_.empty()) {
    ++counters_.sends_held;
    return fail(Errc::again, "earlier messages wait for room in the peer's queue");
  }
  Status sent = channel_->send(message);
  if (sent) [[likely]] {
    count_sent(message.size());
    return {};  // Not `sent`: copying one that was just written costs as much as the send.
  }
  if (sent.error().code == Errc::again) {
    ++counters_.sends_held;
    sent.error().what = "the peer's queue is full";
  }
  return sent;
}

bool ConnectionImpl::can_send() const {
  return state_ == ConnectionState::kEstablished && pending_.empty() &&
         channel_->has_room(endpoint_.limits().max_message_size);
}

void ConnectionImpl::request_space() {
  if (state_ != ConnectionState::kEstablished) return;
  space_wanted_ = true;
  update_attention();
}

void ConnectionImpl::submit(SendTaskImpl& task) {
  ++in_flight_;
  if (state_ == ConnectionState::kEstablished && pending_.empty()) {
    const Status sent = channel_->send({task.data, task.size});
    if (sent) [[likely]]
      return posted(task);
    if (sent.error().code != Errc::again) return endpoint_.complete(task, sent.error());
    ++counters_.sends_held;
  } else if (state_ != ConnectionState::kEstablished) {
    const Errc code = loss_ ? Errc::connection_reset : Errc::shutdown;
    return endpoint_.complete(task, Error{code, 0, "the connection is ending"});
  }
  pending_.push_back(task);
  update_attention();
}

// The channel has taken it; it is complete once it lies in the peer's queue.
void ConnectionImpl::posted(SendTaskImpl& task) {
  count_sent(task.size);
  if (!confirms_later_) [[likely]]
    return endpoint_.complete(task);
  task.place = sent_;
  unconfirmed_.push_back(task);
  ++endpoint_.unconfirmed_tasks;
  update_attention();
}

bool ConnectionImpl::confirm() {
  const std::uint64_t delivered = channel_->delivered();
  bool did = false;
  while (SendTaskImpl* task = unconfirmed_.front()) {
    if (task->place > delivered) break;
    unconfirmed_.remove(*task);
    --endpoint_.unconfirmed_tasks;
    endpoint_.complete(*task);
    did = true;
  }
  return did;
}

bool ConnectionImpl::cancel(SendTaskImpl& task) {
  if (task.delivered || task.place != 0) return false;
  pending_.remove(task);
  --in_flight_;
  if (state_ == ConnectionState::kClosing) try_finish();
  return true;
}

bool ConnectionImpl::deliver_pending() {
  bool did = false;
  while (SendTaskImpl* task = pending_.front()) {
    const Status sent = channel_->send({task->data, task->size});
    // Any other failure has emptied pending_ through on_peer_end().
    if (!sent) break;
    pending_.remove(*task);
    posted(*task);
    did = true;
  }
  if (state_ == ConnectionState::kClosing && did && !pending_.empty()) {
    endpoint_.engine()->set_alarm(*this, endpoint_.engine()->now_ns() + kLinger_ns);
  }
  return did;
}

// True: all is delivered, the goodbye with it, and the connection is closed.
bool ConnectionImpl::try_finish() {
  if (!nothing_pending() || !channel_->settle()) return false;
  finish(true);
  return true;
}

void ConnectionImpl::fail_pending(const Error& error) {
  while (SendTaskImpl* task = unconfirmed_.pop_front()) {
    --endpoint_.unconfirmed_tasks;
    endpoint_.complete(*task, error);
  }
  while (SendTaskImpl* task = pending_.pop_front()) endpoint_.complete(*task, error);
}

bool ConnectionImpl::offer_space() {
  if (!can_send()) return false;
  space_wanted_ = false;
  endpoint_.offer_space(*this);
  return true;
}

}  // namespace comch
