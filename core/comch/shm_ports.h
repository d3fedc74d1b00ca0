// ShmPorts: the fast path of one machine, as a PortConsumer and a PortProducer name its parts.
#pragma once

#include "transport/shm/consumer_port.h"
#include "transport/shm/producer_port.h"

namespace comch {

struct ShmPorts {
  using Hub = transport::shm::Hub;
  using Consumer = transport::shm::ConsumerPort;
  using Producer = transport::shm::ProducerPort;
  using Lane = transport::shm::OutLane;
  static constexpr bool kHasWords = true;     // A consumer may be rung by its word.
  static constexpr bool kArmsAlways = false;  // A consumer; see engine::Source.
};

}  // namespace comch
