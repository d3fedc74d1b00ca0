// Registration: memory maps that devices know. Each is registered once per device and kind of
// access, when it is first needed, and for as long as it stays started.
//
//   const MemoryRegion* region = registered_for_writing(life, fabric.domain).value();
//
// Memory that is sent from is registered for reading by this side alone; only a consumer's map
// may be written to by the other side, which is told its key.
//
// Threads: any. Lifetime: the region is the MapLife's: whoever holds the pointer knows that the
// map is started, for instance because buffers point into it. Errors: Domain::register_memory().
#pragma once

#include <memory>

#include "transport/map_life.h"
#include "transport/rdma/traffic.h"

namespace comch::transport::rdma {

Result<const MemoryRegion*> registered_for_sending(MapLife& life, Domain& domain);
Result<const MemoryRegion*> registered_for_writing(MapLife& life, Domain& domain);

}  // namespace comch::transport::rdma
