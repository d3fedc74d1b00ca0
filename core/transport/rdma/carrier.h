// The RDMA carrier: for two processes on two machines, over librdmacm and libibverbs.
//
// verbs.h and traffic.h are what it asks of those; listener.h and connector.h how two ends come to
// terms, line.h and channel.h how they talk. FORMAT.md has every byte, SECURITY.md who may lie.
//
// Threads: a carrier does not change once made; use it anywhere. Lifetime: outlived by the verbs.
#pragma once

#include <utility>

#include "transport/rdma/settings.h"
#include "transport/rdma/verbs.h"
#include "transport/transport.h"

namespace comch::transport::rdma {

class RdmaCarrier final : public Carrier {
 public:
  RdmaCarrier(Verbs& verbs, Settings settings) : verbs_(verbs), settings_(std::move(settings)) {}

  Result<std::unique_ptr<Listener>> listen(Reactor& reactor, const ListenRequest& request,
                                           ListenerOwner& owner) override;
  Result<std::unique_ptr<Connector>> connect(Reactor& reactor, const ConnectRequest& request,
                                             ConnectorOwner& owner) override;

 private:
  Verbs& verbs_;
  const Settings settings_;
};

}  // namespace comch::transport::rdma
