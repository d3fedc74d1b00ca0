// ShmListener: see listener.h.
#include "transport/shm/listener.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/say.h"
#include "os/membarrier.h"
#include "os/memfd.h"
#include "os/packet.h"
#include "os/peer_credentials.h"
#include "shm/layout.h"
#include "transport/shm/channel.h"

namespace comch::transport::shm {
namespace {

Refusal other_version() {
  return {Errc::unsupported_version,
          fmt::format("this server speaks versions 1 to {} of the protocol only",
                      wire::kNewestVersion)};
}

}  // namespace

// One client whose handshake is under way.
class ShmListener::Caller final : public Readiness, public Alarm {
 public:
  Caller(ShmListener& listener, os::Fd s)
      : socket(std::move(s)), listener_(listener), reactor_(listener.reactor_) {
    socket.close_in_children();
  }
  ~Caller() {
    reactor_.clear_alarm(*this);
    if (watched_) reactor_.unwatch(socket.get());
    if (socket) os::hang_up(socket, peer.uid);
  }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  // Reads the kernel's word on who it is.
  bool identify() {
    const Result<os::Credentials> who = os::peer_credentials(socket);
    if (!who) return false;
    peer = {who->uid, who->gid, who->pid, who->uid, who->gid};
    groups = os::peer_groups(socket);
    return true;
  }

  bool is(const wire::Identity& who) const {
    return who.uid == peer.uid && (who.gid == peer.gid || std::find(groups.begin(), groups.end(),
                                                                    who.gid) != groups.end());
  }

  bool wait_for_hello(std::uint64_t until_ns) {
    watched_ = reactor_.watch(socket.get(), *this).has_value();
    if (watched_) reactor_.set_alarm(*this, until_ns);
    return watched_;
  }

  // Its socket is handed to the channel.
  os::Fd release() {
    if (watched_) reactor_.unwatch(socket.get());
    watched_ = false;
    return std::move(socket);
  }

  void refuse(const Refusal& refusal) {
    std::array<std::byte, wire::kMaxPacket> buffer;
    const std::string reason = refusal.reason.substr(0, wire::kMaxReason);
    const std::size_t size = wire::encode(wire::Refusal{refusal.code, reason}, buffer);
    std::ignore = os::send(socket, std::span(buffer).first(size));
    say(About(peer.uid), LogLevel::kInfo, "server {}: refused uid {} pid {}: {}",
        listener_.request_.server_name, peer.uid, peer.pid, refusal.reason);
  }

  void on_readable() override;
  void on_alarm() override { std::ignore = listener_.dismiss(*this); }

  os::Fd socket;
  PeerIdentity peer;
  std::vector<std::uint32_t> groups;

 private:
  ShmListener& listener_;
  Reactor& reactor_;
  bool watched_ = false;
};

void ShmListener::Caller::on_readable() {
  std::array<std::byte, wire::kMaxPacket> buffer;
  const Result<os::Packet> packet = os::receive(socket, buffer, peer.uid);
  if (!packet && packet.error().code == Errc::again) return;
  const std::unique_ptr<Caller> self = listener_.dismiss(*this);
  if (!packet || packet->end) return;
  const Result<wire::Packet> said = wire::decode(std::span(buffer).first(packet->size));
  if (!said && said.error().code == Errc::unsupported_version) {
    refuse(other_version());
  } else if (!said || packet->truncated || packet->fd_count != 0 ||
             !std::holds_alternative<wire::Hello>(*said)) {
    refuse({Errc::connection_aborted, "the first packet is not a Hello"});
  } else {
    listener_.greet(*this, std::get<wire::Hello>(*said));
  }
}

Result<std::unique_ptr<ShmListener>> ShmListener::create(Reactor& reactor,
                                                         const ListenRequest& request,
                                                         ListenerOwner& owner) {
  Result<Berth> berth = Berth::take(request.representor, request.server_name);
  if (!berth) return std::unexpected(berth.error());
  Result<os::ReserveFd> reserve = os::ReserveFd::create();
  if (!reserve) return std::unexpected(reserve.error());
  auto listener = std::make_unique<ShmListener>(reactor, request, owner, std::move(*berth),
                                                std::move(*reserve));
  if (Status s = reactor.watch(listener->berth_->socket().get(), *listener); !s) {
    return std::unexpected(s.error());
  }
  return listener;
}

ShmListener::ShmListener(Reactor& reactor, const ListenRequest& request, ListenerOwner& owner,
                         Berth berth, os::ReserveFd reserve)
    : reactor_(reactor),
      request_(request),
      owner_(owner),
      berth_(std::move(berth)),
      reserve_(std::move(reserve)),
      next_id_(request.first_connection_id) {}

ShmListener::~ShmListener() { close(); }

void ShmListener::close() {
  if (!berth_) return;
  reactor_.unwatch(berth_->socket().get());
  callers_.clear();
  berth_.reset();
}

void ShmListener::on_readable() {
  for (int i = 0; i < kAcceptsPerCall && berth_; ++i) {
    if (!accept_one()) return;
  }
}

bool ShmListener::accept_one() {
  Result<std::optional<os::Fd>> socket = os::accept(berth_->socket());
  if (!socket) {
    if (!std::exchange(starved_, true)) {
      say(LogLevel::kError, "server {}: cannot accept a client: {}; raise the limit on open files",
          request_.server_name, describe(socket.error()));
    }
    return reserve_.refuse_one(berth_->socket());
  }
  if (!*socket) return false;
  starved_ = false;
  auto caller = std::make_unique<Caller>(*this, std::move(**socket));
  if (!caller->identify()) return true;
  if (os::has_too_many(caller->peer.uid)) {
    caller->refuse({Errc::full, "what your user has sent waits to be closed"});
    return true;
  }
  if (const auto refusal = owner_.admit_user(caller->peer, caller->groups)) {
    caller->refuse(*refusal);
    return true;
  }
  if (callers_.size() == kMaxCallers) callers_.erase(callers_.begin());
  Caller& kept = *callers_.emplace_back(std::move(caller));
  if (!kept.wait_for_hello(reactor_.now_ns() + kHandshake_ns)) {
    std::ignore = dismiss(kept);
    return true;
  }
  kept.on_readable();  // Most clients have said Hello already.
  return true;
}

std::unique_ptr<ShmListener::Caller> ShmListener::dismiss(Caller& caller) {
  const auto it = std::find_if(callers_.begin(), callers_.end(),
                               [&](const auto& other) { return other.get() == &caller; });
  if (it == callers_.end()) return nullptr;
  std::unique_ptr<Caller> taken = std::move(*it);
  callers_.erase(it);
  return taken;
}

void ShmListener::greet(Caller& caller, const wire::Hello& hello) {
  const Result<std::uint16_t> version = wire::choose_version(hello);
  if (!version) return caller.refuse(other_version());
  // Whom it acts for is believed from root, and from whoever it is anyway.
  if (hello.acting && (caller.peer.uid == 0 || caller.is(*hello.acting))) {
    caller.peer.acting_uid = hello.acting->uid;
    caller.peer.acting_gid = hello.acting->gid;
    if (caller.peer.uid == 0 && hello.acting->uid != 0) caller.groups.clear();
  } else if (hello.acting) {
    caller.refuse({Errc::authentication, "only root may act for another user"});
    return;
  }
  const Request request{.connection_id = next_id_,
                        .server_name = hello.name,
                        .representor = hello.representor,
                        .limits = {hello.max_message_size, hello.recv_queue_size},
                        .peer = caller.peer};
  if (const auto refusal = owner_.admit(request, caller.groups)) {
    caller.refuse(*refusal);
    return;
  }
  welcome(caller, request, hello, *version);
}

void ShmListener::welcome(Caller& caller, const Request& request, const wire::Hello& hello,
                          std::uint16_t version) {
  const Refusal no_memory{Errc::no_memory, "the server has no memory for another connection"};
  const auto layout =
      comch::shm::ControlLayout::make({.max_message = request_.limits.max_message_size,
                                       .to_server_queue = request_.limits.recv_queue_size,
                                       .to_client_queue = hello.recv_queue_size});
  if (!layout) return caller.refuse({Errc::invalid_value, layout.error().what});
  const Result<os::Fd> memfd = os::make_sealed_memfd("comch-connection", layout->size);
  if (!memfd) return caller.refuse(no_memory);
  Result<os::Mapping> mapping = os::Mapping::map(*memfd, layout->size);
  if (!mapping) return caller.refuse(no_memory);
  comch::shm::write_head(mapping->bytes().data(), *layout);

  const bool membarrier = os::register_expedited();
  const bool stamped = request_.stamped && version >= 2;
  std::array<std::byte, wire::kMaxPacket> buffer;
  const std::size_t size =
      wire::encode(wire::Welcome{.version = version,
                                 .recv_queue_size = request_.limits.recv_queue_size,
                                 .membarrier = membarrier,
                                 .stamped = stamped,
                                 .connection_id = request.connection_id,
                                 .to_server_capacity = layout->to_server.capacity,
                                 .to_client_capacity = layout->to_client.capacity},
                   buffer);
  os::take_descriptors(caller.socket);  // Of its consumers.
  const std::array<int, 1> fds{memfd->get()};
  if (Status sent = os::send(caller.socket, std::span(buffer).first(size), fds); !sent) return;
  ++next_id_;
  auto channel = std::make_unique<ShmChannel>(reactor_, caller.release(), std::move(*mapping),
                                              ChannelTerms{.layout = *layout,
                                                           .is_server = true,
                                                           .peer_has_membarrier = hello.membarrier,
                                                           .own_membarrier = membarrier,
                                                           .stamped = stamped,
                                                           .version = version,
                                                           .peer_uid = caller.peer.uid,
                                                           .peer_pid = caller.peer.pid});
  if (Status opened = channel->open(); !opened) return;
  owner_.on_channel(std::move(channel), request);
}

}  // namespace comch::transport::shm
