// ClientImpl: see client_impl.h.
#include "comch/client_impl.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "comch/carriers.h"
#include "comch/rdma_address.h"
#include "comch/server_name.h"
#include "engine/engine.h"

namespace comch {
namespace {

// For a program that prints the error alone: Failure::text has the server's name and its reason.
const char* advice(Errc code) {
  switch (code) {
    case Errc::not_found:
      return "no server of this name runs there; `comch ls` shows those of this machine";
    case Errc::time_out:
      return "the server does not answer";
    case Errc::authentication:
      return "the server does not admit this user, or this device's key";
    case Errc::full:
      return "the server has its maximum of clients";
    case Errc::unsupported_version:
      return "the server runs another version of comch";
    default:
      return "there is no connection; Context::failure() has the reason in words";
  }
}

}  // namespace

ClientImpl::ClientImpl(Client& face, std::shared_ptr<Device> d, std::string_view name)
    : Endpoint(face, d->info().capability), device(std::move(d)), server_name(name) {}

ClientImpl::~ClientImpl() {
  connector_.reset();
  ended_.reset();
  drop_all();
}

// So long that nobody sees the end, and short enough to be counted in nanoseconds.
static constexpr std::chrono::milliseconds kForever = std::chrono::hours(24 * 365 * 100);

Status ClientImpl::set_connect_timeout(std::chrono::milliseconds timeout) {
  if (Status s = require_idle(); !s) return s;
  if (timeout <= timeout.zero()) return fail(Errc::invalid_value, "the timeout must be positive");
  connect_timeout_ = std::min(timeout, kForever);
  return {};
}

Status ClientImpl::set_server_name(std::string_view name) {
  if (Status s = require_idle(); !s) return s;
  if (Status s = check_wanted_server(name, capability_); !s) return s;
  server_name = name;
  return {};
}

Status ClientImpl::set_acting(Identity identity) {
  const Status s = require_idle();
  if (s) acting_ = identity;
  return s;
}

Result<Connection*> ClientImpl::connection() const {
  if (connection_ == nullptr) return fail(Errc::bad_state, "the client is not connected");
  return connection_;
}

// --- Life --------------------------------------------------------------------------------

// A device that meets its peers here takes an rdma:// address, too: the system then picks the
// way, as it does for any address.
Result<transport::Carrier*> ClientImpl::address(transport::ConnectRequest& request) const {
  const std::optional<RdmaLink>& link = device->info().rdma;
  if (is_rdma_address(server_name)) {
    Result<RdmaAddress> address = parse_rdma_address(server_name, capability_);
    if (!address) return std::unexpected(address.error());
    request.host = std::move(address->host);
    request.server_name = std::move(address->server);
    return rdma_carrier(link.value_or(RdmaLink{}));
  }
  request.server_name = server_name;
  if (!link) return &shared_memory_carrier();
  if (link->server.empty()) {
    return fail(Errc::bad_config, "the device names no server machine; use rdma://HOST/NAME");
  }
  request.host = link->server;
  return rdma_carrier(*link);
}

Result<bool> ClientImpl::on_start() {
  if (Status s = take_tasks(); !s) return std::unexpected(s.error());
  transport::ConnectRequest request{
      .server_name = {},
      .representor = device->info().pci,
      .limits = {limits().max_message_size, limits().recv_queue_size},
      .acting = std::nullopt,
      .deadline_ns = engine()->now_ns() + static_cast<std::uint64_t>(
                                              std::chrono::nanoseconds(connect_timeout_).count())};
  if (acting_) request.acting = {acting_->uid, acting_->gid};
  const Result<transport::Carrier*> carrier = address(request);
  if (!carrier) return std::unexpected(carrier.error());
  auto connector = (*carrier)->connect(*engine(), request, *this);
  if (!connector) return std::unexpected(connector.error());
  connector_ = std::move(*connector);
  return false;
}

void ClientImpl::on_channel(std::unique_ptr<transport::Channel> channel, const PeerIdentity& peer) {
  connector_.reset();
  connection_ = &adopt(std::move(channel), 0, peer);
  // A program that asks for the state after each progress() puts its word on the connection when
  // that says running; no message may come before.
  engine()->leave_off();
  ready();
}

void ClientImpl::on_refused(const Error& error, std::string reason) {
  connector_.reset();
  Error told = error;
  told.what = advice(error.code);
  fatal(told, std::move(reason));
}

void ClientImpl::on_stop(bool deliver) {
  connector_.reset();
  close_connections(deliver);
}

void ClientImpl::on_cut_off() {
  connector_.reset();
  connection_ = nullptr;
  ended_.reset();
  drop_all();
}

void ClientImpl::on_ended(std::unique_ptr<ConnectionImpl> connection) {
  connection_ = nullptr;
  ended_ = std::move(connection);
  if (state() != ContextState::kRunning) return;
  const std::optional<Error>& loss = ended_->loss();
  if (loss) {
    fatal(*loss, "the server is lost: it died, or broke the protocol");
  } else {
    fatal(Error{Errc::shutdown, 0, "the server ended the connection"},
          "the server ended the connection");
  }
}

}  // namespace comch
