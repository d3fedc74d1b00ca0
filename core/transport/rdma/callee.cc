// Callee: see callee.h.
#include "transport/rdma/callee.h"

#include <fmt/format.h>

#include <cerrno>
#include <tuple>
#include <utility>

#include "os/identity.h"
#include "os/random.h"
#include "transport/rdma/server_port.h"

namespace comch::transport::rdma {
namespace {

using Weight = CallRound::Weight;

template <class Packet>
std::vector<std::byte> encoded(const Packet& packet) {
  std::vector<std::byte> bytes(wire::kMaxPacket);
  bytes.resize(wire::encode(packet, bytes));
  return bytes;
}

}  // namespace

Status Callee::call(Reactor& reactor, std::shared_ptr<EventHub> hub, std::unique_ptr<Id> id) {
  const ControlTerms terms =
      ControlTerms::of(request_.limits.max_message_size, request_.limits.recv_queue_size);
  Result<std::unique_ptr<ControlLink>> link =
      ControlLink::create(reactor, std::move(hub), std::move(id), terms, *this, 0);
  if (!link) return std::unexpected(link.error());
  link_ = std::move(*link);
  transcript_ = encoded(wire::Call{.name_hash = name_hash(request_.server_name)});
  return link_->id().connect(transcript_, settings_.patience);
}

void Callee::say(std::span<const std::byte> bytes) {
  // Should it fail, the link is broken, and says so when it is pumped next.
  std::ignore = link_->send(PacketKind::kHandshake, bytes);
}

// --- What becomes of the call ------------------------------------------------------------

void Callee::on_event(Event& event) {
  switch (event.kind) {
    case EventKind::kEstablished:
      return answered(event.data);
    case EventKind::kRejected:
      return rejected(event.data);
    case EventKind::kUnreachable:
      return owner_.on_unreachable();
    case EventKind::kDisconnected:
    case EventKind::kDeviceGone:
      link_->disconnected();
      return on_ready();  // Its last words may say why.
    default:
      return;
  }
}

void Callee::rejected(std::span<const std::byte> data) {
  const Result<wire::Refusal> refusal = wire::decode_refusal(data);
  if (refusal) return refused(*refusal);
  nobody();
}

void Callee::answered(std::span<const std::byte> data) {
  const Result<wire::Answer> answer = wire::decode_answer(data);
  if (!answer) {
    const bool version = answer.error().code == Errc::unsupported_version;
    return owner_.on_miss(
        {Weight::kStranger, version ? Errc::unsupported_version : Errc::connection_aborted,
         ECONNREFUSED,
         version ? "the server speaks another version"
                 : fmt::format("what answers on {} is not a comch server", host_)});
  }
  if (answer->wants_key != (settings_.key != nullptr)) {
    return owner_.on_refused(
        Errc::authentication, EACCES,
        answer->wants_key ? "the server asks for a pre-shared key, and this device has none"
                          : "the server shows no pre-shared key, and this device asks for one");
  }
  step_ = answer->wants_key ? Step::kChallenge : Step::kWelcome;
  greet();
}

void Callee::greet() {
  wire::RemoteHello hello{
      .max_message_size = request_.limits.max_message_size,
      .recv_queue_size = request_.limits.recv_queue_size,
      .window = link_->terms().window,
      .process = {os::own_uid(), os::own_gid(), static_cast<std::uint32_t>(os::own_pid())},
      .acting = std::nullopt,
      .nonce = {},
      .name = request_.server_name};
  if (request_.acting) {
    hello.acting = wire::Identity{request_.acting->first, request_.acting->second};
  }
  if (Status s = os::fill_random(hello.nonce); !s) {
    return owner_.on_refused(s.error().code, s.error().sys, describe(s.error()));
  }
  const std::vector<std::byte> bytes = encoded(hello);
  transcript_.insert(transcript_.end(), bytes.begin(), bytes.end());
  say(bytes);
}

// --- What it says ------------------------------------------------------------------------

void Callee::on_ready() {
  do {
    link_->pump();
    while (link_->has(PacketClass::kControl)) {
      const bool handshake = link_->front_kind(PacketClass::kControl) == PacketKind::kHandshake;
      const std::span<const std::byte> body = *link_->front(PacketClass::kControl);
      const std::vector<std::byte> packet(body.begin(), body.end());
      link_->pop(PacketClass::kControl);
      link_->flush();
      if (handshake) return take(packet);
    }
    if (link_->broken()) {
      return owner_.on_refused(Errc::connection_aborted, ECONNREFUSED,
                               "the server hung up without an answer");
    }
  } while (link_->arm());
}

void Callee::take(std::span<const std::byte> bytes) {
  const Result<wire::RemotePacket> packet = wire::decode_remote(bytes);
  if (packet && std::holds_alternative<wire::Refusal>(*packet)) {
    return refused(std::get<wire::Refusal>(*packet));
  }
  if (packet && step_ == Step::kChallenge && std::holds_alternative<wire::Challenge>(*packet)) {
    return challenged(std::get<wire::Challenge>(*packet));
  }
  if (packet && step_ == Step::kWelcome && std::holds_alternative<wire::RemoteWelcome>(*packet)) {
    return welcomed(std::get<wire::RemoteWelcome>(*packet));
  }
  owner_.on_refused(Errc::connection_aborted, ECONNREFUSED,
                    "the server's answer is not a handshake");
}

void Callee::challenged(const wire::Challenge& challenge) {
  transcript_.insert(transcript_.end(), challenge.nonce.begin(), challenge.nonce.end());
  if (!settings_.key->holds(KeyRole::kServer, transcript_, challenge.proof)) {
    return owner_.on_refused(Errc::authentication, EACCES, "the server's key is not this device's");
  }
  step_ = Step::kWelcome;
  say(encoded(wire::Proof{settings_.key->prove(KeyRole::kClient, transcript_)}));
  on_ready();
}

void Callee::welcomed(const wire::RemoteWelcome& welcome) {
  link_->set_peer_window(welcome.window);
  owner_.on_welcome(std::move(link_), welcome);
}

void Callee::nobody() {
  owner_.on_miss({Weight::kNobody, Errc::not_found, ENOENT,
                  fmt::format("no server named '{}' runs on {}", request_.server_name, host_)});
}

void Callee::refused(const wire::Refusal& refusal) {
  const std::string reason = "the server refused: " + wire::printable(refusal.reason);
  switch (refusal.code) {
    case Errc::not_found:  // Another name's; ours may have had to take the next.
      return nobody();
    case Errc::authentication:
      // Likewise, of a server of this name for other machines.
      return owner_.on_miss({Weight::kRefused, refusal.code, EACCES, reason});
    case Errc::full:
    case Errc::invalid_value:
    case Errc::no_memory:
    case Errc::unsupported_version:
      return owner_.on_refused(refusal.code, ECONNREFUSED, reason);
    default:
      return owner_.on_refused(Errc::connection_aborted, ECONNREFUSED, reason);
  }
}

}  // namespace comch::transport::rdma
