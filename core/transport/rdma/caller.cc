// Caller: see caller.h.
#include "transport/rdma/caller.h"

#include <array>
#include <utility>

#include "os/random.h"
#include "transport/rdma/refusals.h"

namespace comch::transport::rdma {

Caller::Caller(Reactor& reactor, std::shared_ptr<const Key> key, CallerOwner& owner)
    : reactor_(reactor), key_(std::move(key)), owner_(owner) {}

Caller::~Caller() { reactor_.clear_alarm(*this); }

Status Caller::accept(std::shared_ptr<EventHub> hub, std::unique_ptr<Id> id,
                      const ControlTerms& terms, std::span<const std::byte> call,
                      const Patience& patience) {
  transcript_.assign(call.begin(), call.end());
  Result<std::unique_ptr<ControlLink>> link = ControlLink::create(
      reactor_, std::move(hub), std::move(id), terms, *this, key_ ? kGreetingsWithKey : kGreetings);
  if (!link) return std::unexpected(link.error());
  link_ = std::move(*link);
  std::array<std::byte, wire::kMaxPacket> buffer;
  const std::size_t size = wire::encode(wire::Answer{.wants_key = key_ != nullptr}, buffer);
  if (Status s = link_->id().accept(std::span(buffer).first(size), patience); !s) return s;
  reactor_.set_alarm(*this, reactor_.now_ns() + kHandshake_ns);
  return {};
}

template <class Packet>
bool Caller::say(const Packet& packet) {
  std::array<std::byte, wire::kMaxPacket> buffer;
  const std::size_t size = wire::encode(packet, buffer);
  return link_->send(PacketKind::kHandshake, std::span(buffer).first(size)).has_value();
}

Status Caller::open() { return link_->open(); }

std::unique_ptr<ControlLink> Caller::welcome(const wire::RemoteWelcome& welcome) {
  link_->set_peer_window(hello_.window);
  if (!say(welcome)) return nullptr;
  return std::move(link_);
}

void Caller::refuse(const Refusal& refusal) {
  step_ = Step::kAnswered;
  std::ignore = say(wire::Refusal{refusal.code, refusal.reason.substr(0, wire::kMaxReason)});
  reactor_.set_alarm(*this, reactor_.now_ns() + kRefusal_ns);
}

bool Caller::gone() {
  owner_.on_gone(*this);
  return false;
}

void Caller::on_event(Event& event) {
  switch (event.kind) {
    case EventKind::kDisconnected:
    case EventKind::kDeviceGone:
    case EventKind::kUnreachable:
    case EventKind::kRejected:
      gone();
      return;
    default:
      return;
  }
}

// What it says may lie here already, so that it is this side which is late.
void Caller::on_alarm() {
  const Step before = step_;
  if (serve() && step_ == before) gone();
}

bool Caller::serve() {
  do {
    link_->pump();
    if (!take_packets()) return false;
    const bool refused = step_ == Step::kAnswered && link_->settled();
    if (link_->broken() || refused || link_->has(PacketClass::kMessages) ||
        link_->has(PacketClass::kLetters)) {
      return gone();
    }
  } while (link_->arm());
  return true;
}

bool Caller::take_packets() {
  while (link_->has(PacketClass::kControl)) {
    const PacketKind kind = link_->front_kind(PacketClass::kControl);
    const std::span<const std::byte> body = *link_->front(PacketClass::kControl);
    const std::vector<std::byte> packet(body.begin(), body.end());
    link_->pop(PacketClass::kControl);
    if (kind == PacketKind::kHandshake && !take(packet)) return false;
  }
  link_->flush();
  return true;
}

bool Caller::take(std::span<const std::byte> bytes) {
  const Result<wire::RemotePacket> packet = wire::decode_remote(bytes);
  if (!packet && packet.error().code == Errc::unsupported_version) {
    return object(other_version());
  }
  if (packet && step_ == Step::kHello && std::holds_alternative<wire::RemoteHello>(*packet)) {
    hello_ = std::get<wire::RemoteHello>(*packet);
    return take_hello(bytes);
  }
  if (packet && step_ == Step::kProof && std::holds_alternative<wire::Proof>(*packet)) {
    return take_proof(std::get<wire::Proof>(*packet));
  }
  return step_ == Step::kAnswered ? gone() : object(no_greeting());
}

bool Caller::object(const Refusal& reason) {
  step_ = Step::kAnswered;
  return owner_.on_objection(*this, reason);
}

bool Caller::take_hello(std::span<const std::byte> bytes) {
  if (!key_) {
    step_ = Step::kAnswered;
    return owner_.on_hello(*this, hello_);
  }
  wire::Challenge challenge;
  if (!os::fill_random(challenge.nonce)) return gone();
  transcript_.insert(transcript_.end(), bytes.begin(), bytes.end());
  transcript_.insert(transcript_.end(), challenge.nonce.begin(), challenge.nonce.end());
  challenge.proof = key_->prove(KeyRole::kServer, transcript_);
  step_ = Step::kProof;
  reactor_.set_alarm(*this, reactor_.now_ns() + kHandshake_ns);
  return say(challenge) || gone();
}

bool Caller::take_proof(const wire::Proof& proof) {
  if (!key_->holds(KeyRole::kClient, transcript_, proof.proof)) return object(other_key());
  step_ = Step::kAnswered;
  return owner_.on_hello(*this, hello_);
}

}  // namespace comch::transport::rdma
