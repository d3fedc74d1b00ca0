// ShmCarrier: see carrier.h.
#include "transport/shm/carrier.h"

#include "transport/shm/connector.h"
#include "transport/shm/listener.h"

namespace comch::transport::shm {

Result<std::unique_ptr<Listener>> ShmCarrier::listen(Reactor& reactor, const ListenRequest& request,
                                                     ListenerOwner& owner) {
  return ShmListener::create(reactor, request, owner);
}

Result<std::unique_ptr<Connector>> ShmCarrier::connect(Reactor& reactor,
                                                       const ConnectRequest& request,
                                                       ConnectorOwner& owner) {
  return std::make_unique<ShmConnector>(reactor, request, owner);
}

}  // namespace comch::transport::shm
