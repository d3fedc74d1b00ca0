// Registration: memory maps that devices know.
//
//   const MemoryRegion* region = registered_for_sending(life, *fabric.domain).value();
//   const MemoryRegion* region = exposures.of(life).value();
//
// Memory that is sent from is registered once per device, for reading by this side alone, and for
// as long as the map stays started. Only a consumer's map may be written to by the other side,
// which is told its key: it is registered once for each connection with such a consumer, with that
// connection's domain, until the map or the connection ends.
//
// Threads: any. Lifetime: the region is the MapLife's: whoever holds the pointer knows that the
// map is started, for instance because buffers point into it. Errors: Domain::register_memory().
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "transport/map_life.h"
#include "transport/rdma/traffic.h"

namespace comch::transport::rdma {

Result<const MemoryRegion*> registered_for_sending(MapLife& life, Domain& domain);

class ExposedMap;

// What one connection's peer may write to of the maps here.
class Exposures {
 public:
  explicit Exposures(std::shared_ptr<Domain> domain) : domain_(std::move(domain)) {}
  // When nobody of the connection needs them any more.
  ~Exposures();
  Exposures(const Exposures&) = delete;
  Exposures& operator=(const Exposures&) = delete;

  Result<const MemoryRegion*> of(MapLife& life);

 private:
  const std::shared_ptr<Domain> domain_;
  std::mutex mutex_;
  std::vector<std::weak_ptr<ExposedMap>> maps_;  // Behind mutex_.
};

}  // namespace comch::transport::rdma
