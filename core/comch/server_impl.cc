// ServerImpl: see server_impl.h.
#include "comch/server_impl.h"

#include <fmt/format.h>

#include <utility>

#include "comch/access.h"
#include "comch/carriers.h"
#include "engine/engine.h"
#include "os/identity.h"

namespace comch {

using transport::Refusal;
using transport::Request;

ServerImpl::ServerImpl(Server& face, std::shared_ptr<Device> d, std::shared_ptr<Representor> r,
                       std::string_view n)
    : Endpoint(face, d->info().capability),
      device(std::move(d)),
      representor(std::move(r)),
      name(n),
      access{representor->info().allow_uids, representor->info().allow_gids,
             representor->info().allow_everyone},
      owner_{os::own_uid(), os::own_gid()} {}

ServerImpl::~ServerImpl() {
  listener_.reset();
  drop_all();
}

Status ServerImpl::set_max_clients(std::uint32_t connections) {
  const Status s = check_within(connections, capability_.max_clients);
  if (s) max_clients = connections;
  return s;
}

Status ServerImpl::set_stamped(bool on) {
  const Status s = require_idle();
  if (s) stamped_ = on;
  return s;
}

Status ServerImpl::set_access(AccessList list) {
  const Status s = require_idle();
  if (s) access = std::move(list);
  return s;
}

Status ServerImpl::set_owner(Identity owner) {
  if (Status s = require_idle(); !s) return s;
  if (os::own_uid() != 0 && owner.uid != os::own_uid()) {
    return fail(Errc::not_permitted, "only root may own a server for another user");
  }
  owner_ = owner;
  return {};
}

Status ServerImpl::on_connection(Server::ConnectionHandler connected,
                                 Server::ConnectionHandler disconnected) {
  if (Status s = require_idle(); !s) return s;
  if (!connected || !disconnected) {
    return fail(Errc::invalid_value, "both connection callbacks are mandatory");
  }
  connected_ = std::move(connected);
  disconnected_ = std::move(disconnected);
  return {};
}

Status ServerImpl::end(Connection& face, bool deliver) {
  if (Status s = require_home(); !s) return s;
  ConnectionImpl& connection = ConnectionImpl::of(face);
  if (&connection.endpoint() != this) {
    return fail(Errc::invalid_value, "the connection belongs to another context");
  }
  const bool ending = connection.state() == ConnectionState::kClosed ||
                      (deliver && connection.state() == ConnectionState::kClosing);
  if (ending) return fail(Errc::invalid_value, "the connection is ending already");
  if (deliver && connection.local_ends() != 0) {
    return fail(Errc::in_use, "the connection has consumers or producers; stop them first");
  }
  connection.begin_close(deliver);
  return {};
}

// --- Life --------------------------------------------------------------------------------

Status ServerImpl::check_configuration() {
  if (Status s = check_common(); !s) return s;
  if (!connected_)
    return fail(Errc::bad_state, "the connection callbacks are to be set before the start");
  if (device->info().rdma && representor->info().allow_hosts.empty()) {
    return fail(Errc::bad_state, "no machine may connect; open the representor by its address");
  }
  return {};
}

Result<bool> ServerImpl::on_start() {
  if (Status s = take_tasks(); !s) return std::unexpected(s.error());
  const transport::ListenRequest request{
      .server_name = name,
      .representor = representor->info().pci,
      .limits = {limits().max_message_size, limits().recv_queue_size},
      .first_connection_id = next_id_,
      .allowed_hosts = representor->info().allow_hosts,
      .stamped = stamped_};
  const Result<transport::Carrier*> carrier = carrier_of(device->info());
  if (!carrier) return std::unexpected(carrier.error());
  Result<std::unique_ptr<transport::Listener>> listener =
      (*carrier)->listen(*engine(), request, *this);
  if (!listener) return std::unexpected(listener.error());
  listener_ = std::move(*listener);  // The last run's, if any, is long off the stack.
  refused = 0;
  return true;
}

void ServerImpl::on_stop(bool deliver) {
  // Closed and not destroyed: this may be a callback that the listener's call has led to.
  if (listener_ != nullptr) listener_->close();
  close_connections(deliver);
}

void ServerImpl::on_cut_off() {
  listener_.reset();
  drop_all();
}

void ServerImpl::on_ended(std::unique_ptr<ConnectionImpl> connection) {
  disconnected_(*connection, true);
}

// --- Clients -----------------------------------------------------------------------------

std::optional<Refusal> ServerImpl::refuse(Errc code, std::string reason) {
  ++refused;
  return Refusal{code, std::move(reason)};
}

std::optional<Refusal> ServerImpl::admit_user(const PeerIdentity& peer,
                                              std::span<const std::uint32_t> groups) {
  if (admits(access, owner_, peer, groups)) return std::nullopt;
  return refuse(
      Errc::authentication,
      fmt::format("the access list of server {} does not admit uid {}", name, peer.acting_uid));
}

std::optional<Refusal> ServerImpl::admit(const Request& request,
                                         std::span<const std::uint32_t> groups) {
  if (request.server_name != name || request.representor != representor->info().pci) {
    return refuse(Errc::not_found, "another server answers here");
  }
  if (auto refusal = admit_user(request.peer, groups)) return refusal;
  if (connections() >= max_clients) {
    return refuse(Errc::full, fmt::format("server {} has its {} clients", name, max_clients));
  }
  if (request.limits.max_message_size != limits().max_message_size) {
    return refuse(Errc::invalid_value,
                  fmt::format("max_msg_size must be the same on both ends: server {}, client {}",
                              limits().max_message_size, request.limits.max_message_size));
  }
  return std::nullopt;
}

void ServerImpl::on_channel(std::unique_ptr<transport::Channel> channel, const Request& request) {
  next_id_ = request.connection_id + 1;
  ConnectionImpl& connection = adopt(std::move(channel), request.connection_id, request.peer);
  connected_(connection, true);
}

}  // namespace comch
