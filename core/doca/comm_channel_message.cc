// Messages of endpoints; see comm_channel.h.
//
// sendto() puts a message into the peer's queue itself while there is room, so that it is
// received even when the sender goes away at once. What finds no room is copied and becomes a
// task of the engine, which delivers it when the endpoint's calls run it.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <tuple>

#include "doca/comm_channel.h"
#include "doca/refuse.h"

using comch::Errc;
using comch::SendTask;
using comch::Status;
using comch::doca::answer;
using comch::doca::guarded;
using comch::doca::null_argument;
using comch::doca::number_of;
using comch::doca::refuse;
using Where = std::source_location;

// A message that waits for room, and whose it is.
struct doca_comm_channel_ep_t::HeldMessage {
  Peer& peer;
  std::unique_ptr<std::byte[]> bytes;
};

doca_error_t doca_comm_channel_ep_t::send(std::span<const std::byte> message, Peer& peer,
                                          Where where) {
  if (!requested || peer.connection == nullptr) pump();
  if (peer.over || peer.lossy) return refuse(Errc::connection_reset, "the peer is gone", where);
  if (peer.connection == nullptr) {
    send_refused = true;
    settle();
    return number_of(Errc::again);
  }
  Status sent = peer.connection->try_send(message);
  if (!sent && sent.error().code == Errc::again) {
    pump();  // Room may have come, and not been seen.
    if (peer.over || peer.lossy) return refuse(Errc::connection_reset, "the peer is gone", where);
    sent = peer.connection->try_send(message);
    if (!sent && sent.error().code == Errc::again) return hold(message, peer, where);
  }
  if (!sent) return refuse(Errc::connection_reset, "the peer is gone", where);
  send_news = true;
  if (send_armed) settle();
  return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_ep_t::hold(std::span<const std::byte> message, Peer& peer,
                                          Where where) {
  // What left before this answer is no news to who got it.
  if (held == send_queue_size) {
    send_news = false;
    return number_of(Errc::again);
  }
  auto copy = std::make_unique<HeldMessage>(
      peer, std::make_unique_for_overwrite<std::byte[]>(std::max<std::size_t>(message.size(), 1)));
  std::memcpy(copy->bytes.get(), message.data(), message.size());
  const std::span<const std::byte> kept(copy->bytes.get(), message.size());
  comch::Result<SendTask*> task = server != nullptr ? server->allocate_send(*peer.connection, kept)
                                                    : client->allocate_send(*peer.connection, kept);
  if (!task) return answer(task.error(), where);
  (*task)->set_user_data({.pointer = copy.get()});
  if (Status submitted = (*task)->submit(); !submitted) {
    std::ignore = (*task)->free();
    return answer(submitted, where);
  }
  std::ignore = copy.release();  // note_sent() has it back.
  ++held;
  ++peer.held;
  if (send_armed) settle();
  return DOCA_SUCCESS;
}

void doca_comm_channel_ep_t::note_sent(SendTask& task, bool lost) {
  const std::unique_ptr<HeldMessage> message(static_cast<HeldMessage*>(task.user_data().pointer));
  std::ignore = task.free();
  --held;
  --message->peer.held;
  if (lost) message->peer.lossy = true;
  send_news = true;
}

doca_comm_channel_addr_t& doca_comm_channel_ep_t::oldest() const {
  return **std::ranges::min_element(ready, {}, &Peer::arrival_ns);
}

// What came before this moment is in `ready` then, or behind something that is.
void doca_comm_channel_ep_t::look_for_older() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  looked_ns = static_cast<std::uint64_t>(std::chrono::nanoseconds(now).count());
  pump_all();
}

doca_error_t doca_comm_channel_ep_t::receive(void* room, std::size_t& length, Peer*& from,
                                             Where where) {
  bool accepted = accept_pending();
  if (ready.empty()) pump();
  accepted = accept_pending() || accepted;
  // Whoever connected and spoke at once is heard at once.
  if (accepted) look_for_older();
  if (peers.size() > 1 && !ready.empty() && oldest().arrival_ns > looked_ns) look_for_older();
  while (!ready.empty()) {
    Peer& peer = oldest();
    if (peer.lossy) {
      std::erase(ready, &peer);
      from = &peer;
      return refuse(Errc::connection_reset, "a message to this peer was lost; disconnect it",
                    where);
    }
    if (peer.next_size > length) {
      length = peer.next_size;
      return refuse(Errc::invalid_value, "the message is longer than the room for it", where);
    }
    if (!take(peer, room, length)) continue;
    from = &peer;
    return DOCA_SUCCESS;
  }
  if (client != nullptr && peers.back()->over) {
    return refuse(Errc::connection_reset, "the service is gone, or refused the connection", where);
  }
  return number_of(Errc::again);
}

// Takes the message that waits. False: its connection shows none any more.
bool doca_comm_channel_ep_t::take(Peer& peer, void* room, std::size_t& length) {
  std::erase(ready, &peer);
  const auto message = peer.connection->take();
  if (message) {
    std::memcpy(room, message->data(), message->size());
    length = message->size();
    peer.known = true;
  }
  // The one behind it may be older than those of all others.
  if (const auto next = peer.connection->peek()) {
    note_message(*peer.connection, next->size());
  } else {
    peer.connection->resume();
  }
  return message.has_value();
}

// --- The functions -----------------------------------------------------------------------

doca_error_t doca_comm_channel_ep_sendto(doca_comm_channel_ep_t* local_ep, const void* msg,
                                         size_t len, int flags,
                                         doca_comm_channel_addr_t* peer_addr) {
  if (local_ep == nullptr || msg == nullptr) return null_argument();
  if (flags != DOCA_CC_MSG_FLAG_NONE) return refuse(Errc::invalid_value, "there is no such flag");
  if (peer_addr == nullptr || peer_addr->endpoint != local_ep) {
    return refuse(Errc::not_connected, "the endpoint has no such connection");
  }
  if (len > local_ep->max_message_size) {
    return refuse(Errc::invalid_value, "the message is longer than max_msg_size");
  }
  return guarded([&] {
    return local_ep->send({static_cast<const std::byte*>(msg), len}, *peer_addr, Where::current());
  });
}

doca_error_t doca_comm_channel_ep_recvfrom(doca_comm_channel_ep_t* local_ep, void* msg, size_t* len,
                                           int flags, doca_comm_channel_addr_t** peer_addr) {
  if (local_ep == nullptr || msg == nullptr || len == nullptr || peer_addr == nullptr) {
    return null_argument();
  }
  if (flags != DOCA_CC_MSG_FLAG_NONE) return refuse(Errc::invalid_value, "there is no such flag");
  return guarded([&] {
    if (!local_ep->active()) {
      return refuse(Errc::not_connected, "the endpoint neither listens nor is connected");
    }
    return local_ep->receive(msg, *len, *peer_addr, Where::current());
  });
}
