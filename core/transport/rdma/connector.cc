// RdmaConnector: see connector.h.
#include "transport/rdma/connector.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <utility>

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
  callee_.reset();
  if (id_) hub_->forget(*id_);
  id_.reset();
}

std::string RdmaConnector::where() const { return round_.over() ? request_.host : round_.host(); }

// --- Whom to call ------------------------------------------------------------------------

void RdmaConnector::on_alarm() {
  if (!std::exchange(begun_, true)) return begin();
  if (lookup_) {
    return on_refused(
        Errc::time_out, ETIMEDOUT,
        fmt::format("{} was not found in time; does the resolver answer?", request_.host));
  }
  miss_address(
      {Weight::kSilent, Errc::time_out, ETIMEDOUT,
       fmt::format("{} did not answer in time; is it up, and the server not stopped?", where())});
}

void RdmaConnector::begin() {
  if (!settings_.local.empty()) {
    source_ = Address::parse(settings_.local);
    if (!source_) return on_refused(Errc::bad_config, EINVAL, "the local address is none");
  }
  if (const auto number = Address::parse(request_.host)) return begin_to_call({*number});
  reactor_.set_alarm(*this, request_.deadline_ns);
  Result<std::unique_ptr<Lookup>> lookup =
      Lookup::begin(verbs_.resolver(), reactor_, request_.host, *this);
  if (!lookup) return on_refused(lookup.error().code, lookup.error().sys, describe(lookup.error()));
  lookup_ = std::move(*lookup);
}

void RdmaConnector::on_found(Result<std::vector<Address>> found) {
  lookup_.reset();
  if (!found) {
    return on_refused(found.error().code, found.error().sys,
                      fmt::format("{} is not found: {}", request_.host, describe(found.error())));
  }
  if (found->empty()) {
    return on_refused(Errc::not_found, ENOENT, fmt::format("{} has no address", request_.host));
  }
  begin_to_call(std::move(*found));
}

void RdmaConnector::begin_to_call(std::vector<Address> addresses) {
  round_ = CallRound(std::move(addresses), name_hash(request_.server_name), settings_.port);
  Result<std::shared_ptr<EventHub>> hub = EventHub::create(verbs_, reactor_);
  if (!hub) return on_refused(hub.error().code, hub.error().sys, describe(hub.error()));
  hub_ = std::move(*hub);
  if (!call()) call_next();
}

// A loop, for those that cannot even be called: how many there are is said by whoever answers for
// the name.
void RdmaConnector::call_next() {
  while (!round_.over() && reactor_.now_ns() < request_.deadline_ns) {
    if (call()) return;
  }
  const CallRound::Failure& failure = round_.failure();
  on_refused(failure.code, failure.sys, failure.reason);
}

bool RdmaConnector::call() {
  hang_up();
  const std::uint64_t now = reactor_.now_ns();
  const std::uint64_t left = request_.deadline_ns - std::min(request_.deadline_ns, now);
  reactor_.set_alarm(*this, now + round_.share_of(left));
  const Status opened = open_id();
  if (!opened) note_uncallable(opened.error());
  return opened.has_value();
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

Status RdmaConnector::connect() {
  callee_ = std::make_unique<Callee>(settings_, request_, where(), *this);
  return callee_->call(reactor_, hub_, std::move(id_));
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
    case EventKind::kResolveFailed:
      return on_unreachable();
    default:
      return;
  }
  if (went) return;
  note_uncallable(went.error());
  call_next();
}

void RdmaConnector::on_welcome(std::unique_ptr<ControlLink> link,
                               const wire::RemoteWelcome& welcome) {
  const PeerIdentity peer{welcome.process.uid, welcome.process.gid,
                          static_cast<std::int32_t>(welcome.process.pid), welcome.process.uid,
                          welcome.process.gid};
  reactor_.clear_alarm(*this);
  owner_.on_channel(
      std::make_unique<RdmaChannel>(reactor_, std::move(link),
                                    RdmaChannel::Terms{.is_server = false,
                                                       .keepalive_ns = settings_.keepalive_ns,
                                                       .patience = settings_.patience}),
      peer);
}

void RdmaConnector::on_miss(CallRound::Failure failure) {
  round_.note(std::move(failure));
  round_.next_port();
  call_next();
}

void RdmaConnector::on_unreachable() {
  miss_address({Weight::kUnreachable, Errc::not_found, EHOSTUNREACH,
                fmt::format("{} cannot be reached by RDMA", where())});
}

void RdmaConnector::note_uncallable(const Error& error) {
  round_.note({Weight::kUnreachable, error.code, error.sys,
               fmt::format("{} cannot be called: {}", where(), describe(error))});
  round_.next_address();
}

void RdmaConnector::miss_address(CallRound::Failure failure) {
  round_.note(std::move(failure));
  round_.next_address();
  call_next();
}

void RdmaConnector::on_refused(Errc code, int sys, std::string reason) {
  reactor_.clear_alarm(*this);
  hang_up();
  owner_.on_refused(Error{code, sys}, std::move(reason));
}

}  // namespace comch::transport::rdma
