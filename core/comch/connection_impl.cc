// ConnectionImpl: its life, and receiving; see connection_impl.h. connection_sends.cc has the other
// way.
#include "comch/connection_impl.h"

#include <tuple>
#include <utility>

#include "comch/endpoint.h"
#include "engine/engine.h"

namespace comch {

using transport::PeerState;

ConnectionImpl::ConnectionImpl(Endpoint& endpoint, ConnectionId id,
                               std::unique_ptr<transport::Channel> channel,
                               const PeerIdentity& peer)
    : endpoint_(endpoint),
      channel_(std::move(channel)),
      confirms_later_(channel_->confirms_later()),
      id_(id),
      peer_(peer) {
  channel_->attach(*this);
  // Consumers and producers may be made by other threads, which find it. If it cannot be made now,
  // whoever needs it is told why.
  if (endpoint_.hears_of_consumers()) std::ignore = channel_->fast_path();
  update_attention();
}

ConnectionImpl::~ConnectionImpl() {
  endpoint_.engine()->clear_alarm(*this);
  endpoint_.engine()->remove(*this);
  endpoint_.forget(*this);
}

ConnectionCounters ConnectionImpl::counters() const {
  ConnectionCounters now = counters_;
  now.wakes_sent = channel_->wakes_sent() - wakes_sent_before_;
  now.wakes_received = channel_->wakes_received() - wakes_received_before_;
  return now;
}

void ConnectionImpl::reset_counters() {
  counters_ = {};
  wakes_sent_before_ = channel_->wakes_sent();
  wakes_received_before_ = channel_->wakes_received();
}

// --- The fast path -----------------------------------------------------------------------

Result<std::shared_ptr<transport::FastPath>> ConnectionImpl::fast_path() {
  if (Status s = endpoint_.require_home(); !s) return std::unexpected(s.error());
  return channel_->fast_path();
}

void ConnectionImpl::on_consumer(std::uint32_t id, bool appeared) {
  endpoint_.tell_of_consumer(*this, ConsumerId{id}, appeared);
}

std::vector<ConsumerId> ConnectionImpl::remote_consumers() const {
  std::vector<ConsumerId> ids;
  if (const transport::FastPath* fast = channel_->fast_path_if_any()) {
    for (const std::uint32_t id : fast->remote_ids()) ids.push_back(ConsumerId{id});
  }
  return ids;
}

std::size_t ConnectionImpl::local_ends() const {
  const transport::FastPath* fast = channel_->fast_path_if_any();
  return fast == nullptr ? 0 : fast->ports();
}

// --- Receiving ---------------------------------------------------------------------------

void ConnectionImpl::count_received(std::size_t bytes) {
  ++counters_.received_messages;
  counters_.received_bytes += bytes;
}

bool ConnectionImpl::receive() {
  bool did = false;
  for (int budget = kReceiveBudget; budget > 0 && wants_data(); --budget) {
    if (endpoint_.owes_tasks()) break;
    const auto message = channel_->look();
    if (!message) break;
    in_callback_ = true;
    const Receipt receipt = endpoint_.hand_out(*this, *message);
    in_callback_ = false;
    if (receipt == Receipt::kTaken) count_received(message->size());
    if (!open()) return true;
    if (receipt == Receipt::kKeep) {
      paused_ = true;
      break;
    }
    channel_->pop();
    did = true;
  }
  if (did) channel_->flush();
  return did;
}

void ConnectionImpl::pause() {
  paused_ = true;
  if (!in_callback_) update_attention();
}

void ConnectionImpl::resume() {
  paused_ = false;
  if (!in_callback_) update_attention();
}

std::optional<std::span<const std::byte>> ConnectionImpl::peek() {
  return may_take() ? channel_->look() : std::nullopt;
}

std::uint64_t ConnectionImpl::arrival() const {
  const std::optional<std::uint64_t> known = channel_->arrival();
  return known ? *known : endpoint_.engine()->now_ns();
}

std::optional<std::span<const std::byte>> ConnectionImpl::take() {
  if (!may_take()) return std::nullopt;
  const auto message = channel_->look();
  if (message) {
    channel_->pop();
    channel_->flush();
    count_received(message->size());
  }
  if (state_ == ConnectionState::kDraining) update_attention();
  return message;
}

// --- Ending ------------------------------------------------------------------------------

void ConnectionImpl::on_peer_end() {
  if (confirms_later_) confirm();
  if (channel_->peer_state() == PeerState::kLost) {
    loss_ = Error{Errc::connection_reset, 0, "the peer is lost"};
  }
  fail_pending(Error{Errc::connection_reset, 0, "the peer is gone"});
  space_wanted_ = false;
  if (state_ == ConnectionState::kEstablished) state_ = ConnectionState::kDraining;
  if (state_ == ConnectionState::kClosing) return finish(false);
  update_attention();
}

void ConnectionImpl::begin_close(bool deliver) {
  if (!open()) return;
  if (state_ == ConnectionState::kDraining) return finish(true);
  if (deliver) {
    // The goodbye says what was taken, and the message of the callback that ends this is not yet.
    const bool may_finish = !(in_callback_ && confirms_later_);
    if (state_ == ConnectionState::kClosing || (may_finish && try_finish())) return;
    state_ = ConnectionState::kClosing;
    endpoint_.engine()->set_alarm(*this, endpoint_.engine()->now_ns() + kLinger_ns);
    return update_attention();
  }
  fail_pending(Error{Errc::shutdown, 0, "the connection was ended before it was sent"});
  finish(false);
}

void ConnectionImpl::on_alarm() {
  fail_pending(Error{Errc::time_out, 0, "the peer made no room while the connection was closing"});
  finish(false);
}

void ConnectionImpl::finish(bool orderly) {
  if (!open()) return;
  state_ = ConnectionState::kClosed;
  endpoint_.engine()->clear_alarm(*this);
  endpoint_.engine()->remove(*this);
  channel_->close(orderly);
  endpoint_.ended(*this);
}

// --- The engine's ------------------------------------------------------------------------

bool ConnectionImpl::poll() {
  bool did = false;
  if (!unconfirmed_.empty()) did = confirm();
  if (!pending_.empty()) did = deliver_pending() || did;
  if (state_ == ConnectionState::kClosing && try_finish()) return true;
  if (space_wanted_) did = offer_space() || did;
  if (wants_data()) did = receive() || did;
  if (drained()) {
    finish(true);
    return true;
  }
  if (paused_ && open()) update_attention();
  const bool waits_for_data =
      wants_data() && !wants_space() && state_ == ConnectionState::kEstablished;
  if (!did && waits_for_data) notes.sign = channel_->sign();
  return did;
}

bool ConnectionImpl::arm() { return channel_->arm(wants_data(), wants_space() || wants_word()); }

std::optional<WakeWord> ConnectionImpl::ask_for_word() {
  return wants_data() ? channel_->ask_for_word() : std::nullopt;
}

bool ConnectionImpl::ready() {
  if (wants_data() && channel_->has_message()) return true;
  if (drained()) return true;
  if (!unconfirmed_.empty() && unconfirmed_.front()->place <= channel_->delivered()) return true;
  if (state_ == ConnectionState::kClosing && nothing_pending() && channel_->settle()) return true;
  if (!wants_space()) return false;
  const SendTaskImpl* first = pending_.front();
  const std::size_t bytes = first != nullptr ? first->size : endpoint_.limits().max_message_size;
  return channel_->has_room(static_cast<std::uint32_t>(bytes));
}

void ConnectionImpl::update_attention() {
  if (!open()) return;
  if (wants_data() || wants_space() || wants_word() || drained()) {
    endpoint_.engine()->make_hot(*this);
  } else {
    endpoint_.engine()->remove(*this);
    channel_->arm(false, false);
  }
}

}  // namespace comch
