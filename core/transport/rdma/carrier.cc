// The RDMA carrier: see carrier.h.
#include "transport/rdma/carrier.h"

#include "transport/rdma/connector.h"
#include "transport/rdma/listener.h"

namespace comch::transport::rdma {

Result<std::unique_ptr<Listener>> RdmaCarrier::listen(Reactor& reactor,
                                                      const ListenRequest& request,
                                                      ListenerOwner& owner) {
  return RdmaListener::create(verbs_, reactor, settings_, request, owner);
}

Result<std::unique_ptr<Connector>> RdmaCarrier::connect(Reactor& reactor,
                                                        const ConnectRequest& request,
                                                        ConnectorOwner& owner) {
  return std::make_unique<RdmaConnector>(verbs_, reactor, settings_, request, owner);
}

}  // namespace comch::transport::rdma
