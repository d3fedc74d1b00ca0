// RdmaPorts: the fast path between machines, as a PortConsumer and a PortProducer name its parts.
#pragma once

#include "transport/rdma/consumer_port.h"
#include "transport/rdma/producer_port.h"

namespace comch {

struct RdmaPorts {
  using Hub = transport::rdma::Hub;
  using Consumer = transport::rdma::ConsumerPort;
  using Producer = transport::rdma::ProducerPort;
  using Lane = transport::rdma::OutLane;
  static constexpr bool kHasWords = false;
  // A consumer; see engine::Source. It writes what is posted, and is to hear that it is written.
  static constexpr bool kArmsAlways = true;
};

}  // namespace comch
