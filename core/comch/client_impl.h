// ClientImpl: what stands behind a Client.
//
// Threads: the engine's. Lifetime: the application's.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "base/homebound.h"
#include "comch/client.h"
#include "comch/endpoint.h"
#include "transport/transport.h"

namespace comch {

class ClientImpl final : public Endpoint, public transport::ConnectorOwner {
 public:
  ClientImpl(Client& face, std::shared_ptr<Device> device, std::string_view name);
  ~ClientImpl() override;

  static ClientImpl& of(Client& face);
  static const ClientImpl& of(const Client& face);

  Status set_connect_timeout(std::chrono::milliseconds timeout);
  Status set_server_name(std::string_view name);
  Status set_acting(Identity identity);
  Result<Connection*> connection() const;

  Client* as_client() override { return static_cast<Client*>(&face()); }

  // For the connector.
  void on_channel(std::unique_ptr<transport::Channel> channel, const PeerIdentity& peer) override;
  void on_refused(const Error& error, std::string reason) override;

  const std::shared_ptr<Device> device;
  std::string server_name;

 protected:
  Status check_configuration() override { return check_common(); }
  Result<bool> on_start() override;
  void on_stop(bool deliver) override;
  void on_idle() override { ended_.reset(); }
  void on_cut_off() override;
  void on_ended(std::unique_ptr<ConnectionImpl> connection) override;
  bool drained() const override { return connector_ == nullptr && Endpoint::drained(); }

 private:
  // Says in `request` which server is meant, and answers with the carrier that reaches it.
  Result<transport::Carrier*> address(transport::ConnectRequest& request) const;

  std::chrono::milliseconds connect_timeout_ = std::chrono::seconds(10);
  std::optional<Identity> acting_;
  std::unique_ptr<transport::Connector> connector_;
  ConnectionImpl* connection_ = nullptr;
  // The application may hold the connection until the client is idle.
  std::unique_ptr<ConnectionImpl> ended_;
};

// The Client that an application holds.
class ClientObject final : public Client, public Homebound<ClientObject> {
 public:
  ClientObject(std::shared_ptr<Device> device, std::string_view name)
      : impl(*this, std::move(device), name) {}
  ClientImpl impl;
};

inline ClientImpl& ClientImpl::of(Client& face) { return static_cast<ClientObject&>(face).impl; }
inline const ClientImpl& ClientImpl::of(const Client& face) {
  return static_cast<const ClientObject&>(face).impl;
}

}  // namespace comch
