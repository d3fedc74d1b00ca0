// RdmaChannel: see channel.h.
#include "transport/rdma/channel.h"

#include <array>
#include <cstring>
#include <utility>

#include "base/say.h"
#include "wire/handshake.h"

namespace comch::transport::rdma {

RdmaChannel::RdmaChannel(Reactor& reactor, std::unique_ptr<ControlLink> link, const Terms& terms)
    : reactor_(reactor),
      link_(std::move(link)),
      terms_(terms),
      scratch_(std::make_unique_for_overwrite<std::byte[]>(link_->terms().max_message)) {
  link_->set_owner(*this);
  reactor_.set_alarm(pulse_, reactor_.now_ns() + terms_.keepalive_ns / 2);
}

RdmaChannel::~RdmaChannel() {
  owner_ = nullptr;
  close(false);
}

void RdmaChannel::attach(ChannelOwner& owner) {
  owner_ = &owner;
  // What came while the handshake was being finished.
  reactor_.set_alarm(news_, 0);
}

// --- Out ---------------------------------------------------------------------------------

Status RdmaChannel::send(std::span<const std::byte> message) {
  if (peer_state_ != PeerState::kOpen || !link_) {
    return fail(Errc::connection_reset, "the peer is gone");
  }
  Status sent = link_->send(PacketKind::kMessage, message);
  if (sent) [[likely]]
    return {};
  if (sent.error().code != Errc::again) {
    collect();
    return sent;
  }
  collect();  // Credits, or our own slots, may be back.
  return link_->send(PacketKind::kMessage, message);
}

bool RdmaChannel::has_room(std::uint32_t /*bytes*/) {
  if (!link_) return false;
  if (!link_->can_send(PacketKind::kMessage)) collect();
  return link_->can_send(PacketKind::kMessage);
}

std::uint64_t RdmaChannel::delivered() {
  if (!link_) return 0;
  collect();
  return link_->messages_delivered();
}

bool RdmaChannel::settle() {
  if (!link_ || peer_state_ != PeerState::kOpen || link_->broken()) return true;
  collect();
  if (hub_ && !said_goodbye_) flush_hub();  // What was said before the end goes before it.
  if (!said_goodbye_) {
    link_->flush();  // The goodbye says what was taken, for who misses an acknowledgement.
    std::array<std::byte, wire::kMaxPacket> buffer;
    const std::size_t size = wire::encode(wire::Goodbye{.orderly = true}, buffer);
    said_goodbye_ = link_->send(PacketKind::kGoodbye, std::span(buffer).first(size)).has_value();
    collect();
  }
  return said_goodbye_ && link_->settled();
}

// --- In ----------------------------------------------------------------------------------

std::optional<std::span<const std::byte>> RdmaChannel::look() {
  if (!link_) return std::nullopt;
  if (!link_->has(PacketClass::kMessages)) {
    link_->pump();
    serve();
    if (!link_) return std::nullopt;
  }
  const auto message = link_->front(PacketClass::kMessages);
  if (!message) return std::nullopt;
  std::memcpy(scratch_.get(), message->data(), message->size());
  return std::span<const std::byte>(scratch_.get(), message->size());
}

bool RdmaChannel::has_message() {
  if (!link_) return false;
  if (!link_->has(PacketClass::kMessages)) collect();
  return link_->has(PacketClass::kMessages);
}

// Told of each connection alone: each has a completion queue of its own.
std::optional<std::uint64_t> RdmaChannel::arrival() const {
  if (!link_ || !link_->has(PacketClass::kMessages)) return std::nullopt;
  return link_->front_ns(PacketClass::kMessages);
}

void RdmaChannel::pop() { link_->pop(PacketClass::kMessages); }

void RdmaChannel::flush() {
  if (link_) link_->flush();
}

bool RdmaChannel::arm(bool /*for_data*/, bool /*for_space*/) {
  if (link_) {
    link_->arm();
    if (has_news()) reactor_.set_alarm(news_, 0);
  }
  return false;
}

// --- News --------------------------------------------------------------------------------

bool RdmaChannel::has_news() const {
  return link_->has(PacketClass::kControl) || link_->has(PacketClass::kLetters) ||
         (link_->broken() && peer_state_ == PeerState::kOpen);
}

// Takes completions without telling the owner, who may be the one that asks.
void RdmaChannel::collect() {
  if (link_->pump() && has_news()) reactor_.set_alarm(news_, 0);
}

// Who looks for messages while he is told of a packet is told of the next when he returns.
void RdmaChannel::serve() {
  if (std::exchange(serving_, true)) return;
  tell_all();
  serving_ = false;
}

// Of everything but messages. The owner may close this channel in any call.
void RdmaChannel::tell_all() {
  for (const PacketClass which : {PacketClass::kControl, PacketClass::kLetters}) {
    while (link_ && link_->has(which)) {
      const PacketKind kind = link_->front_kind(which);
      const std::span<const std::byte> body = *link_->front(which);
      which == PacketClass::kControl ? take_control(kind, body) : take_letter(body);
      if (link_) link_->pop(which);
    }
  }
  if (!link_) return;
  link_->flush();
  const std::optional<Break>& broken = link_->broken();
  if (!broken || peer_state_ != PeerState::kOpen) return;
  if (broken->by_peer) {
    say(About(link_->id().peer().host()), LogLevel::kWarning,
        "the peer {} wrote {}; its connection is closed", link_->id().peer().text(), broken->what);
  } else if (!broken->flushed) {
    say(About(link_->id().peer().host()), LogLevel::kWarning, "the connection to {} is lost: {}",
        link_->id().peer().text(), broken->what);
  }
  end(PeerState::kLost);
}

void RdmaChannel::take_control(PacketKind kind, std::span<const std::byte> body) {
  if (kind == PacketKind::kCredit) return;
  const Result<wire::Packet> said = wire::decode(body);
  const wire::Goodbye* const goodbye = said ? std::get_if<wire::Goodbye>(&*said) : nullptr;
  if (kind != PacketKind::kGoodbye || goodbye == nullptr) {
    link_->break_by_peer("a packet that does not belong there");
    return;
  }
  end(goodbye->orderly ? PeerState::kOrderly : PeerState::kLost);
}

void RdmaChannel::end(PeerState state) {
  if (peer_state_ == PeerState::kLost || peer_state_ == state) return;
  peer_state_ = state;
  reactor_.clear_alarm(pulse_);
  close_hub();
  if (owner_ != nullptr) owner_->on_peer_end();
}

void RdmaChannel::on_news() {
  if (!link_) return;
  link_->pump();
  serve();
  if (link_ && hub_) flush_hub();
  if (link_) flush_refusals();
  if (link_ && owner_ != nullptr) owner_->on_wake();
}

void RdmaChannel::on_ready() {
  ++wakes_received_;
  on_news();
}

void RdmaChannel::on_event(Event& event) {
  switch (event.kind) {
    case EventKind::kDisconnected:
    case EventKind::kDeviceGone:
    case EventKind::kUnreachable:
    case EventKind::kRejected:
      break;
    default:
      return;
  }
  // Everything that the peer had sent is among the completions by now.
  while (link_ && link_->pump()) {
  }
  serve();
  if (!link_) return;
  if (peer_state_ == PeerState::kOpen) end(PeerState::kLost);
  if (link_ && owner_ != nullptr) owner_->on_wake();
}

// Something completed since the last pulse: somebody is there. Nothing was under way: ask. What
// was under way then still is: nobody is there.
void RdmaChannel::on_pulse() {
  link_->pump();
  serve();
  if (!link_ || peer_state_ != PeerState::kOpen) return;
  const bool quiet = link_->completed() == completed_before_;
  if (quiet && waiting_) {
    say(About(link_->id().peer().host()), LogLevel::kWarning,
        "the peer {} does not answer; its connection is closed", link_->id().peer().text());
    return end(PeerState::kLost);
  }
  if (link_->posted() == link_->completed()) std::ignore = link_->probe();
  completed_before_ = link_->completed();
  waiting_ = true;
  reactor_.set_alarm(pulse_, reactor_.now_ns() + terms_.keepalive_ns / 2);
}

// --- The fast path -----------------------------------------------------------------------

Result<std::shared_ptr<FastPath>> RdmaChannel::fast_path() {
  if (Status made = make_hub(); !made) return std::unexpected(made.error());
  return std::shared_ptr<FastPath>(hub_);
}

Status RdmaChannel::make_hub() {
  if (hub_) return {};
  if (!link_ || peer_state_ != PeerState::kOpen) {
    return fail(Errc::connection_reset, "the connection has ended");
  }
  Result<Fabric> fabric = Fabric::of(link_->id(), terms_.patience);
  if (!fabric) return std::unexpected(fabric.error());
  Result<std::shared_ptr<Hub>> hub = Hub::create(terms_.is_server, std::move(*fabric));
  if (!hub) return std::unexpected(hub.error());
  Status watched = reactor_.watch((*hub)->news().fd().get(), hub_news_);
  if (watched) hub_ = std::move(*hub);
  return watched;
}

void RdmaChannel::take_letter(std::span<const std::byte> body) {
  if (peer_state_ != PeerState::kOpen) return;  // Of a fast path that is closed.
  if (Status made = make_hub(); !made) return refuse(body, made.error());
  const Result<std::optional<ConsumerNews>> news = hub_->take(body);
  if (!news) return link_->break_by_peer("a letter that no correct peer writes");
  flush_hub();  // What there is to answer.
  if (*news && owner_ != nullptr) owner_->on_consumer((*news)->id, (*news)->appeared);
}

Status RdmaChannel::send_letter(std::span<const std::byte> letter) {
  return link_->send(PacketKind::kLetter, letter);
}

void RdmaChannel::HubNews::on_readable() {
  channel.hub_->news().drain();
  channel.flush_hub();
  if (channel.owner_ != nullptr) channel.owner_->on_wake();
}

void RdmaChannel::flush_hub() {
  if (!link_ || peer_state_ != PeerState::kOpen || said_goodbye_) return;
  if (hub_->flush(*this)) reactor_.set_alarm(news_, reactor_.now_ns() + kRetry_ns);
}

// The hub's news are still watched: the last port that leaves is to be heard of.
void RdmaChannel::close_hub() {
  if (!hub_) return;
  for (const std::uint32_t id : hub_->close()) {
    if (owner_ != nullptr) owner_->on_consumer(id, false);
  }
}

// --- The end -----------------------------------------------------------------------------

void RdmaChannel::close(bool /*orderly*/) {
  if (!link_) return;
  if (hub_) {
    close_hub();
    reactor_.unwatch(hub_->news().fd().get());
  }
  owner_ = nullptr;
  reactor_.clear_alarm(news_);
  reactor_.clear_alarm(pulse_);
  link_.reset();
}

}  // namespace comch::transport::rdma
