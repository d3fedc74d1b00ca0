// The shared-memory carrier: for two processes on one machine; the default, no set-up.
//
// rendezvous.h is where they meet, listener.h and connector.h how they come to terms,
// channel.h how they talk. FORMAT.md has every byte of it, SECURITY.md who may lie.
//
// Threads: the carrier itself has no state; use it anywhere.
#pragma once

#include "transport/transport.h"

namespace comch::transport::shm {

class ShmCarrier final : public Carrier {
 public:
  Result<std::unique_ptr<Listener>> listen(Reactor& reactor, const ListenRequest& request,
                                           ListenerOwner& owner) override;
  Result<std::unique_ptr<Connector>> connect(Reactor& reactor, const ConnectRequest& request,
                                             ConnectorOwner& owner) override;
};

}  // namespace comch::transport::shm
