// RdmaConnector: see connector.h.
#include "transport/rdma/connector.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "os/identity.h"
#include "os/random.h"
#include "transport/rdma/channel.h"
#include "transport/rdma/server_port.h"

namespace comch::transport::rdma {
namespace {

constexpr std::uint64_t kMillisecond_ns = 1'000'000;

}  // namespace

RdmaConnector::RdmaConnector(Verbs& verbs, Reactor& reactor, Settings settings,
                             const ConnectRequest& request, ConnectorOwner& owner)
    : verbs_(verbs),
      reactor_(reactor),
      settings_(std::move(settings)),
      request_(request),
      owner_(owner) {
  reactor_.set_alarm(*this, 0);  // The first call is made by progress(), at once.
}

RdmaConnector::~RdmaConnector() {
  reactor_.clear_alarm(*this);
  hang_up();
}

void RdmaConnector::hang_up() {
  lookup_.reset();
  link_.reset();
  if (id_) hub_->forget(*id_);
  id_.reset();
}

std::string RdmaConnector::where() const { return round_.over() ? request_.host : round_.host(); }

// --- Whom to call ------------------------------------------------------------------------

void RdmaConnector::on_alarm() {
  if (!std::exchange(begun_, true)) return begin();
  if (lookup_) {
    return refused(
        Errc::time_out, ETIMEDOUT,
        fmt::format("{} was not found in time; does the resolver answer?", request_.host));
  }
  note(Weight::kSilent, Errc::time_out, ETIMEDOUT,
       fmt::format("{} did not answer in time; is it up, and the server not stopped?", where()));
  call_next_address();
}

void RdmaConnector::begin() {
  if (!settings_.local.empty()) {
    source_ = Address::parse(settings_.local);
    if (!source_) return refused(Errc::bad_config, EINVAL, "the local address is none");
  }
  if (const auto number = Address::parse(request_.host)) return begin_to_call({*number});
  reactor_.set_alarm(*this, request_.deadline_ns);
  Result<std::unique_ptr<Lookup>> lookup =
      Lookup::begin(verbs_.resolver(), reactor_, request_.host, *this);
  if (!lookup) return refused(lookup.error().code, lookup.error().sys, describe(lookup.error()));
  lookup_ = std::move(*lookup);
}

void RdmaConnector::on_found(Result<std::vector<Address>> found) {
  lookup_.reset();
  if (!found) {
    return refused(found.error().code, found.error().sys,
                   fmt::format("{} is not found: {}", request_.host, describe(found.error())));
  }
  if (found->empty()) {
    return refused(Errc::not_found, ENOENT, fmt::format("{} has no address", request_.host));
  }
  begin_to_call(std::move(*found));
}

void RdmaConnector::begin_to_call(std::vector<Address> addresses) {
  round_ = CallRound(std::move(addresses), name_hash(request_.server_name), settings_.port);
  Result<std::shared_ptr<EventHub>> hub = EventHub::create(verbs_, reactor_);
  if (!hub) return refused(hub.error().code, hub.error().sys, describe(hub.error()));
  hub_ = std::move(*hub);
  call();
}

void RdmaConnector::call_next_port() {
  round_.next_port();
  call_next();
}

void RdmaConnector::call_next_address() {
  round_.next_address();
  call_next();
}

void RdmaConnector::call_next() {
  if (!round_.over() && reactor_.now_ns() < request_.deadline_ns) return call();
  const CallRound::Failure& failure = round_.failure();
  refused(failure.code, failure.sys, failure.reason);
}

void RdmaConnector::call() {
  hang_up();
  const std::uint64_t now = reactor_.now_ns();
  const std::uint64_t left = request_.deadline_ns - std::min(request_.deadline_ns, now);
  reactor_.set_alarm(*this, now + round_.share_of(left));
  if (Status s = open_id(); !s) {
    note(Weight::kUnreachable, s.error().code, s.error().sys,
         fmt::format("{} cannot be called: {}", where(), describe(s.error())));
    call_next_address();
  }
}

// Until its alarm.
int RdmaConnector::patience_ms() const {
  const std::uint64_t left = due_ns - std::min(due_ns, reactor_.now_ns());
  return static_cast<int>(left / kMillisecond_ns) + 1;
}

Status RdmaConnector::open_id() {
  Result<std::unique_ptr<Id>> id = hub_->make_id(*this);
  if (!id) return std::unexpected(id.error());
  id_ = std::move(*id);
  return id_->resolve_address(source_, round_.target(), patience_ms());
}

// --- What becomes of a call --------------------------------------------------------------

void RdmaConnector::on_event(Event& event) {
  Status went;
  switch (event.kind) {
    case EventKind::kAddressResolved:
      went = id_->resolve_route(patience_ms());
      break;
    case EventKind::kRouteResolved:
      went = connect();
      break;
    case EventKind::kEstablished:
      return answered(event.data);
    case EventKind::kRejected:
      return rejected(event);
    case EventKind::kResolveFailed:
    case EventKind::kUnreachable:
      note(Weight::kUnreachable, Errc::not_found, EHOSTUNREACH,
           fmt::format("{} cannot be reached by RDMA", where()));
      return call_next_address();
    case EventKind::kDisconnected:
    case EventKind::kDeviceGone:
      if (!link_) return;
      link_->disconnected();
      return on_ready();  // Its last words may say why.
    default:
      return;
  }
  if (went) return;
  note(Weight::kUnreachable, went.error().code, went.error().sys,
       fmt::format("{} cannot be called: {}", where(), describe(went.error())));
  call_next_address();
}

Status RdmaConnector::connect() {
  const ControlTerms terms =
      ControlTerms::of(request_.limits.max_message_size, request_.limits.recv_queue_size);
  Result<std::unique_ptr<ControlLink>> link =
      ControlLink::create(reactor_, hub_, std::move(id_), terms, *this, 0);
  if (!link) return std::unexpected(link.error());
  link_ = std::move(*link);
  handshake_ = {};
  std::vector<std::byte>& call = handshake_.transcript;
  call.resize(wire::kMaxPacket);
  call.resize(wire::encode(wire::Call{.name_hash = name_hash(request_.server_name)}, call));
  return link_->id().connect(call, settings_.patience);
}

void RdmaConnector::rejected(const Event& event) {
  const Result<wire::Refusal> refusal = wire::decode_refusal(event.data);
  if (refusal) return refused_by_server(*refusal);
  note(Weight::kNobody, Errc::not_found, ENOENT,
       fmt::format("no server named '{}' runs on {}", request_.server_name, where()));
  call_next_port();
}

void RdmaConnector::answered(std::span<const std::byte> data) {
  const Result<wire::Answer> answer = wire::decode_answer(data);
  if (!answer) {
    const bool version = answer.error().code == Errc::unsupported_version;
    note(Weight::kStranger, version ? Errc::unsupported_version : Errc::connection_aborted,
         ECONNREFUSED,
         version ? "the server speaks another version"
                 : fmt::format("what answers on {} is not a comch server", where()));
    return call_next_port();
  }
  if (answer->wants_key != (settings_.key != nullptr)) {
    return refused(Errc::authentication, EACCES,
                   answer->wants_key
                       ? "the server asks for a pre-shared key, and this device has none"
                       : "the server shows no pre-shared key, and this device asks for one");
  }
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
    return refused(s.error().code, s.error().sys, describe(s.error()));
  }
  handshake_.step = answer->wants_key ? Handshake::Step::kChallenge : Handshake::Step::kWelcome;
  const std::vector<std::byte> said = say(hello);
  handshake_.transcript.insert(handshake_.transcript.end(), said.begin(), said.end());
}

template <class Packet>
std::vector<std::byte> RdmaConnector::say(const Packet& packet) {
  std::vector<std::byte> bytes(wire::kMaxPacket);
  bytes.resize(wire::encode(packet, bytes));
  // Should it fail, the link is broken, and says so when it is pumped next.
  std::ignore = link_->send(PacketKind::kHandshake, bytes);
  return bytes;
}

void RdmaConnector::on_ready() {
  do {
    link_->pump();
    if (link_->has(PacketClass::kControl)) {
      const bool handshake = link_->front_kind(PacketClass::kControl) == PacketKind::kHandshake;
      const std::span<const std::byte> body = *link_->front(PacketClass::kControl);
      const std::vector<std::byte> packet(body.begin(), body.end());
      link_->pop(PacketClass::kControl);
      link_->flush();
      if (!handshake) continue;
      return take(packet);
    }
    if (link_->broken()) {
      return refused(Errc::connection_aborted, ECONNREFUSED,
                     "the server hung up without an answer");
    }
  } while (link_->arm());
}

void RdmaConnector::take(std::span<const std::byte> bytes) {
  const Result<wire::RemotePacket> packet = wire::decode_remote(bytes);
  if (packet && std::holds_alternative<wire::Refusal>(*packet)) {
    return refused_by_server(std::get<wire::Refusal>(*packet));
  }
  if (packet && handshake_.step == Handshake::Step::kChallenge &&
      std::holds_alternative<wire::Challenge>(*packet)) {
    return challenged(std::get<wire::Challenge>(*packet));
  }
  if (packet && handshake_.step == Handshake::Step::kWelcome &&
      std::holds_alternative<wire::RemoteWelcome>(*packet)) {
    return welcomed(std::get<wire::RemoteWelcome>(*packet));
  }
  refused(Errc::connection_aborted, ECONNREFUSED, "the server's answer is not a handshake");
}

void RdmaConnector::challenged(const wire::Challenge& challenge) {
  handshake_.transcript.insert(handshake_.transcript.end(), challenge.nonce.begin(),
                               challenge.nonce.end());
  if (!settings_.key->holds(KeyRole::kServer, handshake_.transcript, challenge.proof)) {
    return refused(Errc::authentication, EACCES, "the server's key is not this device's");
  }
  handshake_.step = Handshake::Step::kWelcome;
  say(wire::Proof{settings_.key->prove(KeyRole::kClient, handshake_.transcript)});
  on_ready();
}

void RdmaConnector::welcomed(const wire::RemoteWelcome& welcome) {
  link_->set_peer_window(welcome.window);
  const PeerIdentity peer{welcome.process.uid, welcome.process.gid,
                          static_cast<std::int32_t>(welcome.process.pid), welcome.process.uid,
                          welcome.process.gid};
  reactor_.clear_alarm(*this);
  owner_.on_channel(
      std::make_unique<RdmaChannel>(reactor_, std::move(link_),
                                    RdmaChannel::Terms{.is_server = false,
                                                       .keepalive_ns = settings_.keepalive_ns,
                                                       .patience = settings_.patience}),
      peer);
}

// --- When nothing comes of it ------------------------------------------------------------

void RdmaConnector::refused_by_server(const wire::Refusal& refusal) {
  const std::string reason = "the server refused: " + wire::printable(refusal.reason);
  switch (refusal.code) {
    case Errc::not_found:  // Another name's; ours may have had to take the next.
      note(Weight::kNobody, Errc::not_found, ENOENT,
           fmt::format("no server named '{}' runs on {}", request_.server_name, where()));
      return call_next_port();
    case Errc::authentication:
      // Likewise, of a server of this name for other machines.
      note(Weight::kRefused, refusal.code, EACCES, reason);
      return call_next_port();
    case Errc::full:
    case Errc::invalid_value:
    case Errc::no_memory:
    case Errc::unsupported_version:
      return refused(refusal.code, ECONNREFUSED, reason);
    default:
      return refused(Errc::connection_aborted, ECONNREFUSED, reason);
  }
}

void RdmaConnector::note(Weight weight, Errc code, int sys, std::string reason) {
  round_.note({weight, code, sys, std::move(reason)});
}

void RdmaConnector::refused(Errc code, int sys, std::string reason) {
  reactor_.clear_alarm(*this);
  hang_up();
  owner_.on_refused(Error{code, sys}, std::move(reason));
}

}  // namespace comch::transport::rdma
