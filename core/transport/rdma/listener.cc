// RdmaListener: see listener.h.
#include "transport/rdma/listener.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/say.h"
#include "os/identity.h"
#include "transport/rdma/channel.h"
#include "transport/rdma/claim.h"
#include "transport/rdma/refusals.h"
#include "transport/rdma/server_port.h"

namespace comch::transport::rdma {
namespace {

// Where to listen: at the one address that was asked for, at each of the device's, or at all.
Result<std::vector<Address>> places(Verbs& verbs, const Settings& settings) {
  if (!settings.local.empty()) {
    const auto address = Address::parse(settings.local);
    if (!address) return fail(Errc::bad_config, "the local address is none");
    return std::vector{*address};
  }
  std::vector<Address> addresses;
  if (!settings.device.empty()) {
    const Result<std::vector<VerbsDevice>> devices = verbs.devices();
    if (!devices) return std::unexpected(devices.error());
    for (const VerbsDevice& device : *devices) {
      if (device.name != settings.device) continue;
      for (const Port& port : device.ports) {
        addresses.insert(addresses.end(), port.ips.begin(), port.ips.end());
      }
    }
  }
  if (addresses.empty()) addresses.push_back(Address{});
  return addresses;
}

PeerIdentity identity_of(const wire::RemoteHello& hello) {
  const wire::RemoteProcess& process = hello.process;
  PeerIdentity peer{process.uid, process.gid, static_cast<std::int32_t>(process.pid), process.uid,
                    process.gid};
  if (hello.acting) {
    peer.acting_uid = hello.acting->uid;
    peer.acting_gid = hello.acting->gid;
  }
  return peer;
}

}  // namespace

// --- The place ---------------------------------------------------------------------------

Result<std::unique_ptr<RdmaListener>> RdmaListener::create(Verbs& verbs, Reactor& reactor,
                                                           const Settings& settings,
                                                           const ListenRequest& request,
                                                           ListenerOwner& owner) {
  Result<Admission> admission = Admission::of(verbs, request.allowed_hosts);
  if (!admission) return std::unexpected(admission.error());
  Result<os::HeldName> name = claim(settings.device, request.representor, request.server_name);
  if (!name) return std::unexpected(name.error());
  std::unique_ptr<RdmaListener> listener(
      new RdmaListener(reactor, settings, request, owner, std::move(*admission), std::move(*name)));
  if (Status s = listener->listen(verbs); !s) return std::unexpected(s.error());
  return listener;
}

RdmaListener::RdmaListener(Reactor& reactor, const Settings& settings, const ListenRequest& request,
                           ListenerOwner& owner, Admission admission, os::HeldName name)
    : reactor_(reactor),
      settings_(settings),
      request_(request),
      terms_(ControlTerms::of(request.limits.max_message_size, request.limits.recv_queue_size)),
      max_callers_(std::min(kQueueBytes / terms_.queue_bytes(), kMostCallers)),
      owner_(owner),
      admission_(std::move(admission)),
      name_(std::move(name)),
      next_id_(request.first_connection_id) {}

RdmaListener::~RdmaListener() { close(); }

Status RdmaListener::listen(Verbs& verbs) {
  const Result<std::vector<Address>> addresses = places(verbs, settings_);
  if (!addresses) return std::unexpected(addresses.error());
  Result<std::shared_ptr<EventHub>> hub = EventHub::create(verbs, reactor_);
  if (!hub) return std::unexpected(hub.error());
  hub_ = std::move(*hub);
  if (settings_.port) return listen_at(*addresses, *settings_.port);
  Status last;
  for (std::uint32_t nth = 0; nth < kPorts; ++nth) {
    last = listen_at(*addresses, server_port(name_hash(request_.server_name), nth));
    if (last || last.error().code != Errc::already_exist) return last;
  }
  return fail(Errc::full, "every port of this server's name is taken by other servers",
              last.error().sys);
}

Status RdmaListener::listen_at(const std::vector<Address>& addresses, std::uint16_t port) {
  std::vector<std::unique_ptr<Id>> ids;
  Status s;
  for (Address address : addresses) {
    Result<std::unique_ptr<Id>> id = hub_->make_id(*this);
    if (!id) {
      s = std::unexpected(id.error());
      break;
    }
    ids.push_back(std::move(*id));
    address.port = port;
    if (s = ids.back()->listen(address, kBacklog); !s) break;
  }
  if (s) {
    ids_ = std::move(ids);
  } else {
    for (const auto& id : ids) hub_->forget(*id);
  }
  return s;
}

void RdmaListener::close() {
  if (!name_) return;
  callers_.clear();
  for (const auto& id : ids_) hub_->forget(*id);
  ids_.clear();
  hub_.reset();
  name_.reset();
}

// --- Who calls ---------------------------------------------------------------------------

void RdmaListener::on_event(Event& event) {
  if (event.kind == EventKind::kDeviceGone) {
    say(LogLevel::kError, "server {}: its RDMA device is gone; start it again",
        request_.server_name);
  }
  if (event.kind == EventKind::kConnectRequest && event.incoming) take_call(event);
}

void RdmaListener::take_call(Event& event) {
  const std::string peer = event.incoming->peer().host();
  if (const auto refusal = object(*event.incoming, event.data)) {
    say(About(peer), LogLevel::kInfo, "server {}: refused {}: {}", request_.server_name, peer,
        refusal->reason);
    return reject(*event.incoming, *refusal);
  }
  if (callers_.size() == max_callers_) callers_.erase(callers_.begin());
  if (Status accepted = accept(event); !accepted) {
    say(About(peer), LogLevel::kError, "server {}: cannot take the client {}: {}",
        request_.server_name, peer, describe(accepted.error()));
  }
}

std::optional<Refusal> RdmaListener::object(const Id& id, std::span<const std::byte> data) const {
  const bool other_device =
      !settings_.device.empty() && id.domain() && id.domain()->device_name() != settings_.device;
  if (other_device || !admission_.admits(id.peer())) {
    return Refusal{Errc::authentication, "this machine may not connect to the server"};
  }
  const Result<wire::Call> call = wire::decode_call(data);
  const bool newer = !call && call.error().code == Errc::unsupported_version;
  if (newer || (call && !wire::choose_version(*call))) return other_version();
  if (!call) return no_call();
  if (call->name_hash != name_hash(request_.server_name)) return other_name();
  return std::nullopt;
}

void RdmaListener::reject(Id& id, const Refusal& refusal) const {
  std::array<std::byte, kMaxRejectData> buffer;
  const std::size_t size = wire::encode(wire::Refusal{refusal.code, refusal.reason}, buffer);
  std::ignore = id.reject(std::span(buffer).first(size));
}

Status RdmaListener::accept(Event& event) {
  auto caller = std::make_unique<Caller>(reactor_, settings_.key, *this);
  std::array<std::byte, wire::kMaxPacket> buffer;
  const std::size_t size = wire::encode(*wire::decode_call(event.data), buffer);
  if (Status s = caller->accept(hub_, std::move(event.incoming), terms_,
                                std::span(buffer).first(size), settings_.patience);
      !s) {
    return s;
  }
  callers_.push_back(std::move(caller));
  return {};
}

std::unique_ptr<Caller> RdmaListener::dismiss(Caller& caller) {
  const auto it =
      std::ranges::find_if(callers_, [&](const auto& other) { return other.get() == &caller; });
  if (it == callers_.end()) return nullptr;
  std::unique_ptr<Caller> taken = std::move(*it);
  callers_.erase(it);
  return taken;
}

// --- What it wants -----------------------------------------------------------------------

bool RdmaListener::refuse(Caller& caller, const Refusal& refusal) const {
  say(About(caller.peer()), LogLevel::kInfo, "server {}: refused {}: {}", request_.server_name,
      caller.peer(), refusal.reason);
  caller.refuse(refusal);
  return true;
}

bool RdmaListener::on_objection(Caller& caller, const Refusal& reason) {
  return refuse(caller, reason);
}

bool RdmaListener::on_hello(Caller& caller, const wire::RemoteHello& hello) {
  if (hello.name != request_.server_name) return refuse(caller, other_name());
  const bool may_act = !hello.acting || hello.process.uid == 0 ||
                       *hello.acting == wire::Identity{hello.process.uid, hello.process.gid};
  if (!may_act) {
    return refuse(caller, {Errc::authentication, "only root may act for another user"});
  }
  const Request request{.connection_id = next_id_,
                        .server_name = hello.name,
                        .representor = request_.representor,
                        .limits = {hello.max_message_size, hello.recv_queue_size},
                        .peer = identity_of(hello)};
  if (const auto refusal = owner_.admit_user(request.peer, {})) return refuse(caller, *refusal);
  if (const auto refusal = owner_.admit(request, {})) return refuse(caller, *refusal);

  if (Status opened = caller.open(); !opened) {
    say(About(caller.peer()), LogLevel::kError, "server {}: cannot take the client {}: {}",
        request_.server_name, caller.peer(), describe(opened.error()));
    return refuse(caller, {Errc::no_memory, "the server has no memory for another client"});
  }
  std::unique_ptr<ControlLink> link = caller.welcome(
      {.recv_queue_size = request_.limits.recv_queue_size,
       .window = terms_.window,
       .connection_id = request.connection_id,
       .process = {os::own_uid(), os::own_gid(), static_cast<std::uint32_t>(os::own_pid())}});
  const std::unique_ptr<Caller> done = dismiss(caller);
  if (!link) return false;
  ++next_id_;
  owner_.on_channel(
      std::make_unique<RdmaChannel>(reactor_, std::move(link),
                                    RdmaChannel::Terms{.is_server = true,
                                                       .keepalive_ns = settings_.keepalive_ns,
                                                       .patience = settings_.patience}),
      request);
  return false;
}

}  // namespace comch::transport::rdma
