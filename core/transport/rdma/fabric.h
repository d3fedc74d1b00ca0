// Fabric: what the fast path of one connection stands on: the device, the way its packets take,
// and for how long they are tried.
//
// Threads: a value, of which the parts may be used by any. Lifetime: keeps what it names.
#pragma once

#include <memory>

#include "transport/rdma/traffic.h"

namespace comch::transport::rdma {

struct Fabric {
  std::shared_ptr<Domain> domain;
  std::shared_ptr<const Path> path;
  Patience patience;
};

}  // namespace comch::transport::rdma
