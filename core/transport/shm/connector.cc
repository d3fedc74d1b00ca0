// ShmConnector: see connector.h.
#include "transport/shm/connector.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include "os/membarrier.h"
#include "os/memfd.h"
#include "shm/layout.h"
#include "transport/shm/channel.h"
#include "transport/shm/rendezvous.h"

namespace comch::transport::shm {

ShmConnector::ShmConnector(Reactor& reactor, const ConnectRequest& request, ConnectorOwner& owner)
    : reactor_(reactor), request_(request), owner_(owner) {
  reactor_.set_alarm(*this, 0);  // The first call is made by progress(), at once.
}

ShmConnector::~ShmConnector() { hang_up(); }

void ShmConnector::hang_up() {
  reactor_.clear_alarm(*this);
  if (!socket_) return;
  reactor_.unwatch(socket_.get());
  os::hang_up(socket_, server_.uid);
  socket_.reset();
}

void ShmConnector::on_alarm() {
  if (socket_) {
    refused(Errc::time_out, "the server did not answer in time; is it stopped?", ETIMEDOUT);
  } else {
    call();
  }
}

void ShmConnector::call() {
  Result<os::Fd> socket = shm::call(request_.representor, request_.server_name);
  if (socket) {
    socket_ = std::move(*socket);
    socket_.close_in_children();
    const Result<os::Credentials> who = os::peer_credentials(socket_);
    if (!who) return refused(who.error().code, describe(who.error()), who.error().sys);
    server_ = *who;
    return say_hello();
  }
  const Error& error = socket.error();
  const std::uint64_t now = reactor_.now_ns();
  if (error.code == Errc::again && now < request_.deadline_ns) {
    reactor_.set_alarm(*this, std::min(now + kCallAgain_ns, request_.deadline_ns));
  } else if (error.code == Errc::again) {
    refused(Errc::time_out, "the server does not take its callers; is it stopped?", ETIMEDOUT);
  } else if (error.code == Errc::not_found) {
    refused(Errc::not_found,
            "no server named '" + request_.server_name + "' runs on " + request_.representor,
            ENOENT);
  } else {
    refused(error.code, describe(error), error.sys);
  }
}

void ShmConnector::say_hello() {
  wire::Hello hello{.max_message_size = request_.limits.max_message_size,
                    .recv_queue_size = request_.limits.recv_queue_size,
                    .membarrier = os::register_expedited(),
                    .acting = std::nullopt,
                    .representor = request_.representor,
                    .name = request_.server_name};
  if (request_.acting) {
    hello.acting = wire::Identity{request_.acting->first, request_.acting->second};
  }
  std::array<std::byte, wire::kMaxPacket> buffer;
  const std::size_t size = wire::encode(hello, buffer);
  if (Status watched = reactor_.watch(socket_.get(), *this); !watched) {
    return refused(watched.error().code, describe(watched.error()), watched.error().sys);
  }
  reactor_.set_alarm(*this, request_.deadline_ns);
  const Status sent = os::send(socket_, std::span(buffer).first(size));
  // A refusal may be on its way already: the answer says more than this error would.
  if (sent || sent.error().code == Errc::connection_reset) return;
  refused(sent.error().code, describe(sent.error()), sent.error().sys);
}

void ShmConnector::on_readable() {
  std::array<std::byte, wire::kMaxPacket> buffer;
  Result<os::Packet> packet = os::receive(socket_, buffer, server_.uid);
  if (!packet && packet.error().code == Errc::again) return;
  if (!packet || packet->end) {
    return refused(Errc::connection_aborted, "the server hung up without an answer", ECONNREFUSED);
  }
  const Result<wire::Packet> said = wire::decode(std::span(buffer).first(packet->size));
  if (said && std::holds_alternative<wire::Refusal>(*said)) {
    refused_by_server(std::get<wire::Refusal>(*said));
  } else if (said && !packet->truncated && packet->fd_count == 1 &&
             std::holds_alternative<wire::Welcome>(*said)) {
    welcomed(std::get<wire::Welcome>(*said), *packet);
  } else if (!said && said.error().code == Errc::unsupported_version) {
    refused(Errc::unsupported_version, "the server speaks another version", ECONNREFUSED);
  } else {
    refused(Errc::connection_aborted, "the server's answer is not a handshake", ECONNREFUSED);
  }
}

void ShmConnector::refused(Errc code, std::string reason, int sys) {
  hang_up();
  owner_.on_refused(Error{code, sys}, std::move(reason));
}

void ShmConnector::refused_by_server(const wire::Refusal& refusal) {
  const std::string reason = "the server refused: " + wire::printable(refusal.reason);
  switch (refusal.code) {
    case Errc::authentication:
      return refused(refusal.code, reason, EACCES);
    case Errc::full:
    case Errc::invalid_value:
    case Errc::no_memory:
    case Errc::unsupported_version:
      return refused(refusal.code, reason, ECONNREFUSED);
    default:
      return refused(Errc::connection_aborted, reason, ECONNREFUSED);
  }
}

void ShmConnector::welcomed(const wire::Welcome& welcome, os::Packet& packet) {
  const auto broken = [this](const char* what) {
    refused(Errc::connection_aborted, std::string("the server broke the handshake: ") + what,
            ECONNREFUSED);
  };
  const auto layout =
      comch::shm::ControlLayout::make({.max_message = request_.limits.max_message_size,
                                       .to_server_queue = welcome.recv_queue_size,
                                       .to_client_queue = request_.limits.recv_queue_size});
  if (!layout || layout->to_server.capacity != welcome.to_server_capacity ||
      layout->to_client.capacity != welcome.to_client_capacity) {
    return broken("impossible ring sizes");
  }
  const Result<std::uint64_t> size = os::sealed_size(packet.fds[0]);
  if (!size) return broken("memory that could change its size");
  if (*size != layout->size) return broken("memory of another size");
  Result<os::Mapping> mapping = os::Mapping::map(packet.fds[0], *size);
  if (!mapping) {
    return refused(mapping.error().code, describe(mapping.error()), mapping.error().sys);
  }
  const ChannelTerms terms{.layout = *layout,
                           .is_server = false,
                           .peer_has_membarrier = welcome.membarrier,
                           .own_membarrier = os::register_expedited(),
                           .stamped = welcome.stamped,
                           .version = welcome.version,
                           .peer_uid = server_.uid,
                           .peer_pid = server_.pid};
  reactor_.clear_alarm(*this);
  reactor_.unwatch(socket_.get());
  auto channel =
      std::make_unique<ShmChannel>(reactor_, std::move(socket_), std::move(*mapping), terms);
  if (Status opened = channel->open(); !opened) {
    return refused(opened.error().code, describe(opened.error()), opened.error().sys);
  }
  owner_.on_channel(std::move(channel),
                    PeerIdentity{server_.uid, server_.gid, server_.pid, server_.uid, server_.gid});
}

}  // namespace comch::transport::shm
