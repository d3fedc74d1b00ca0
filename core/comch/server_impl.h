// ServerImpl: what stands behind a Server.
//
// Threads: the engine's. Lifetime: the application's.
#pragma once

#include <memory>
#include <string>

#include "base/homebound.h"
#include "comch/endpoint.h"
#include "comch/server.h"
#include "transport/transport.h"

namespace comch {

class ServerImpl final : public Endpoint, public transport::ListenerOwner {
 public:
  ServerImpl(Server& face, std::shared_ptr<Device> device, std::shared_ptr<Representor> representor,
             std::string_view name);
  ~ServerImpl() override;

  static ServerImpl& of(Server& face);
  static const ServerImpl& of(const Server& face);

  Status set_max_clients(std::uint32_t connections);
  Status set_stamped(bool on);
  Status set_access(AccessList access);
  Status set_owner(Identity owner);
  Status on_connection(Server::ConnectionHandler connected, Server::ConnectionHandler disconnected);
  Status end(Connection& connection, bool deliver);

  Server* as_server() override { return static_cast<Server*>(&face()); }

  // For the listener.
  std::optional<transport::Refusal> admit_user(const PeerIdentity& peer,
                                               std::span<const std::uint32_t> groups) override;
  std::optional<transport::Refusal> admit(const transport::Request& request,
                                          std::span<const std::uint32_t> groups) override;
  void on_channel(std::unique_ptr<transport::Channel> channel,
                  const transport::Request& request) override;

  using Endpoint::connections;
  const std::shared_ptr<Device> device;
  const std::shared_ptr<Representor> representor;
  const std::string name;
  std::uint32_t max_clients = kDefaultClients;
  AccessList access;
  std::uint64_t refused = 0;

 protected:
  Status check_configuration() override;
  Result<bool> on_start() override;
  void on_stop(bool deliver) override;
  void on_idle() override { listener_.reset(); }
  void on_cut_off() override;
  void on_ended(std::unique_ptr<ConnectionImpl> connection) override;

 private:
  std::optional<transport::Refusal> refuse(Errc code, std::string reason);

  Identity owner_;
  bool stamped_ = false;
  std::uint64_t next_id_ = 0;  // Of the next connection; counts on over restarts.
  Server::ConnectionHandler connected_;
  Server::ConnectionHandler disconnected_;
  std::unique_ptr<transport::Listener> listener_;
};

// The Server that an application holds.
class ServerObject final : public Server, public Homebound<ServerObject> {
 public:
  ServerObject(std::shared_ptr<Device> device, std::shared_ptr<Representor> representor,
               std::string_view name)
      : impl(*this, std::move(device), std::move(representor), name) {}
  ServerImpl impl;
};

inline ServerImpl& ServerImpl::of(Server& face) { return static_cast<ServerObject&>(face).impl; }
inline const ServerImpl& ServerImpl::of(const Server& face) {
  return static_cast<const ServerObject&>(face).impl;
}

}  // namespace comch
