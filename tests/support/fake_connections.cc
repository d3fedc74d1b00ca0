// FakeId and FakeHost, the connection manager's half: see fake_fabric.h.
#include <algorithm>
#include <cerrno>
#include <utility>

#include "support/fake_fabric.h"

namespace comch::test {

using rdma::Address;
using rdma::Event;
using rdma::EventKind;
using Lock = std::lock_guard<std::recursive_mutex>;

namespace {

constexpr int kNobodyListens = 8;  // Of InfiniBand's table of reasons, as rxe shows them.
constexpr int kRefusedByProgram = 28;

// The other side is given the whole field of the packet.
std::vector<std::byte> padded(std::span<const std::byte> data, std::size_t size) {
  std::vector<std::byte> field(data.begin(), data.end());
  field.resize(size);
  return field;
}

class FakeEventChannel final : public rdma::EventChannel {
 public:
  FakeEventChannel(std::shared_ptr<FakeState> state, FakeHost& host, std::shared_ptr<FakeMail> mail)
      : state_(std::move(state)), host_(host), mail_(std::move(mail)) {}
  ~FakeEventChannel() override {
    std::list<Event> unread;  // With ids of its own, which look at the mail when they go.
    const Lock lock(state_->mutex);
    unread.swap(mail_->events);
  }

  int fd() const override { return mail_->bell.fd().get(); }

  Result<std::optional<Event>> next() override {
    const Lock lock(state_->mutex);
    if (mail_->events.empty()) {
      mail_->bell.drain();
      return std::optional<Event>();
    }
    if (Status s = state_->may_fail(); !s) return std::unexpected(s.error());
    std::optional<Event> first = std::move(mail_->events.front());
    mail_->events.pop_front();
    if (mail_->events.empty()) mail_->bell.drain();
    return first;
  }

  Result<std::unique_ptr<rdma::Id>> make_id() override {
    const Lock lock(state_->mutex);
    if (Status s = state_->may_fail(); !s) return std::unexpected(s.error());
    return std::make_unique<FakeId>(state_, host_, mail_);
  }

 private:
  const std::shared_ptr<FakeState> state_;
  FakeHost& host_;
  const std::shared_ptr<FakeMail> mail_;
};

}  // namespace

FakeHost* FakeState::host_at(const Address& address) {
  const auto found = hosts.find(address.host());
  return found == hosts.end() ? nullptr : found->second.get();
}

// --- The machine -------------------------------------------------------------------------

Result<std::vector<rdma::VerbsDevice>> FakeHost::devices() {
  const Lock lock(state.mutex);
  if (Status s = state.may_fail(); !s) return std::unexpected(s.error());
  rdma::Port port{.number = 1,
                  .active = alive,
                  .link = rdma::LinkLayer::kEthernet,
                  .mtu = 4096,
                  .gids = {},
                  .ips = {address}};
  return std::vector{rdma::VerbsDevice{device, {std::move(port)}}};
}

std::shared_ptr<rdma::Resolver> FakeHost::resolver() {
  return std::make_shared<FakeResolver>(self.lock());
}

Result<std::vector<Address>> FakeResolver::look_up(const std::string& host) {
  std::unique_lock lock(state_->mutex);
  state_->names_released.wait(lock, [&] { return !state_->names_held; });
  if (Status s = state_->may_fail(); !s) return std::unexpected(s.error());
  const auto named = state_->names.find(host);
  const auto found = Address::parse(named == state_->names.end() ? host : named->second);
  if (!found) return fail(Errc::not_found, "there is no such host", ENOENT);
  return std::vector{*found};
}

Result<std::unique_ptr<rdma::EventChannel>> FakeHost::make_event_channel() {
  const Lock lock(state.mutex);
  if (Status s = state.may_fail(); !s) return std::unexpected(s.error());
  Result<os::Event> bell = os::Event::create();
  if (!bell) return std::unexpected(bell.error());
  auto mail = std::make_shared<FakeMail>(FakeMail{std::move(*bell), {}});
  return std::make_unique<FakeEventChannel>(self.lock(), *this, std::move(mail));
}

std::shared_ptr<FakeDomain> FakeHost::domain() {
  std::shared_ptr<FakeDomain> domain = domain_in_use.lock();
  if (!domain) domain_in_use = domain = std::make_shared<FakeDomain>(self.lock(), *this);
  return domain;
}

// --- One end -----------------------------------------------------------------------------

FakeId::FakeId(std::shared_ptr<FakeState> state, FakeHost& host, std::shared_ptr<FakeMail> mail)
    : state_(std::move(state)), host_(host), mail_(std::move(mail)), local_(host.address) {
  state_->ids.push_back(this);
}

FakeId::~FakeId() {
  std::list<Event> unread;  // They may bring ids of their own, which go with them.
  const Lock lock(state_->mutex);
  std::erase(state_->ids, this);
  if (life_ == Life::kRequested) tell_peer(EventKind::kRejected, kRefusedByProgram);
  end_connection(false);
  if (peer_ != nullptr) peer_->peer_ = nullptr;
  for (auto it = mail_->events.begin(); it != mail_->events.end();) {
    const auto next = std::next(it);
    if (it->id == this) unread.splice(unread.end(), mail_->events, it);
    it = next;
  }
}

void FakeId::tell(EventKind kind, int status, std::vector<std::byte> data,
                  std::unique_ptr<rdma::Id> incoming) {
  mail_->events.push_back(Event{kind, this, status, std::move(data), std::move(incoming)});
  mail_->bell.signal();
}

void FakeId::tell_peer(EventKind kind, int status, std::vector<std::byte> data) {
  if (peer_ == nullptr || !host_.alive || !peer_->host_.alive) return;
  if (state_->events_to_lose > 0) {
    --state_->events_to_lose;
    return;
  }
  if (kind == EventKind::kEstablished) peer_->life_ = Life::kConnected;
  if (kind == EventKind::kRejected) peer_->life_ = Life::kEnded;
  if (kind == EventKind::kDisconnected && peer_->queue_pair_) peer_->queue_pair_->unplug();
  peer_->tell(kind, status, std::move(data));
}

Status FakeId::resolve_address(const std::optional<Address>& source, const Address& target,
                               int /*timeout_ms*/) {
  const Lock lock(state_->mutex);
  if (Status s = state_->may_fail(); !s) return s;
  target_ = target;
  local_.port = state_->next_port++;
  if (source && !source->same_host(host_.address)) {
    tell(EventKind::kResolveFailed, ENODEV);
  } else if (state_->host_at(target) == nullptr) {
    tell(EventKind::kResolveFailed, ETIMEDOUT);
  } else {
    life_ = Life::kResolved;
    domain_ = host_.domain();
    tell(EventKind::kAddressResolved);
  }
  return {};
}

Status FakeId::resolve_route(int /*timeout_ms*/) {
  const Lock lock(state_->mutex);
  if (Status s = state_->may_fail(); !s) return s;
  if (life_ != Life::kResolved) return fail(Errc::operating_system, "no address", EINVAL);
  life_ = Life::kRouted;
  tell(EventKind::kRouteResolved);
  return {};
}

Result<std::shared_ptr<rdma::QueuePair>> FakeId::create_queue_pair(
    const rdma::QueuePairOptions& options) {
  const Lock lock(state_->mutex);
  if (Status s = state_->may_fail(); !s) return std::unexpected(s.error());
  if (!domain_ || queue_pair_) return fail(Errc::operating_system, "not now", EINVAL);
  queue_pair_ = std::make_shared<FakeQueuePair>(state_, host_, domain_->number, options);
  return queue_pair_;
}

FakeId* FakeId::find_listener() const {
  const FakeHost* const there = state_->host_at(target_);
  const auto found = std::ranges::find_if(state_->ids, [&](const FakeId* id) {
    return id->life_ == Life::kListening && &id->host_ == there &&
           id->local_.port == target_.port &&
           (id->local_.is_any() || id->local_.same_host(target_));
  });
  return found == state_->ids.end() ? nullptr : *found;
}

Status FakeId::connect(std::span<const std::byte> data, const rdma::Patience& /*patience*/) {
  const Lock lock(state_->mutex);
  if (Status s = state_->may_fail(); !s) return s;
  if (life_ != Life::kRouted || !queue_pair_ || data.size() > rdma::kMaxConnectData) {
    return fail(Errc::operating_system, "not so", EINVAL);
  }
  life_ = Life::kConnecting;
  const FakeHost* const there = state_->host_at(target_);
  if (!host_.alive || there == nullptr || !there->alive) return {};
  if (state_->events_to_lose > 0) {
    --state_->events_to_lose;
    return {};
  }
  FakeId* const listener = find_listener();
  if (listener == nullptr) {
    life_ = Life::kEnded;
    tell(EventKind::kRejected, kNobodyListens, padded({}, rdma::kMaxRejectData));
    return {};
  }
  auto incoming = std::make_unique<FakeId>(state_, listener->host_, listener->mail_);
  incoming->life_ = Life::kRequested;
  incoming->local_.port = target_.port;
  incoming->target_ = local_;
  incoming->domain_ = incoming->host_.domain();
  incoming->peer_ = this;
  peer_ = incoming.get();
  listener->tell(EventKind::kConnectRequest, 0, padded(data, rdma::kMaxConnectData),
                 std::move(incoming));
  return {};
}

Status FakeId::listen(const Address& address, int /*backlog*/) {
  const Lock lock(state_->mutex);
  if (Status s = state_->may_fail(); !s) return s;
  for (const FakeId* other : state_->ids) {
    if (other->life_ == Life::kListening && &other->host_ == &host_ &&
        other->local_.port == address.port) {
      return fail(Errc::already_exist, "the port is taken", EADDRINUSE);
    }
  }
  life_ = Life::kListening;
  local_ = address;
  return {};
}

Status FakeId::accept(std::span<const std::byte> data, const rdma::Patience& /*patience*/) {
  const Lock lock(state_->mutex);
  if (Status s = state_->may_fail(); !s) return s;
  if (life_ != Life::kRequested || !queue_pair_ || data.size() > rdma::kMaxAcceptData) {
    return fail(Errc::operating_system, "not so", EINVAL);
  }
  if (peer_ == nullptr) {
    life_ = Life::kEnded;
    tell(EventKind::kUnreachable, ETIMEDOUT);
    return {};
  }
  life_ = Life::kConnected;
  queue_pair_->plug(peer_->host_, peer_->queue_pair_->number());
  peer_->queue_pair_->plug(host_, queue_pair_->number());
  tell(EventKind::kEstablished);
  tell_peer(EventKind::kEstablished, 0, padded(data, rdma::kMaxAcceptData));
  state_->pump();
  return {};
}

Status FakeId::reject(std::span<const std::byte> data) {
  const Lock lock(state_->mutex);
  if (Status s = state_->may_fail(); !s) return s;
  if (life_ != Life::kRequested || data.size() > rdma::kMaxRejectData) {
    return fail(Errc::operating_system, "not so", EINVAL);
  }
  life_ = Life::kEnded;
  tell_peer(EventKind::kRejected, kRefusedByProgram, padded(data, rdma::kMaxRejectData));
  return {};
}

void FakeId::end_connection(bool tell_self) {
  if (life_ == Life::kConnected) {
    life_ = Life::kEnded;
    tell_peer(EventKind::kDisconnected);
    if (tell_self) tell(EventKind::kDisconnected);
    // The peer hears of it once; its own farewell has nobody to go to.
    if (peer_ != nullptr) peer_->peer_ = nullptr;
    peer_ = nullptr;
  }
  if (queue_pair_) queue_pair_->break_now();
}

Status FakeId::disconnect() {
  const Lock lock(state_->mutex);
  if (Status s = state_->may_fail(); !s) return s;
  end_connection(true);
  return {};
}

Result<std::shared_ptr<const rdma::Path>> FakeId::path() const {
  const Lock lock(state_->mutex);
  if (Status s = state_->may_fail(); !s) return std::unexpected(s.error());
  FakeHost* const there = state_->host_at(target_);
  if (life_ != Life::kConnected || peer_ == nullptr || there == nullptr) {
    return fail(Errc::connection_reset, "not connected", EINVAL);
  }
  return std::make_shared<FakePath>(*there);
}

void FakeId::device_gone() {
  if (queue_pair_) queue_pair_->break_now();
  tell(EventKind::kDeviceGone);
}

}  // namespace comch::test
