// Carriers: see carriers.h.
#include "comch/carriers.h"

#include "transport/shm/carrier.h"

namespace comch {

transport::Carrier& shared_memory_carrier() {
  static transport::shm::ShmCarrier shared_memory;
  return shared_memory;
}

Result<transport::Carrier*> rdma_carrier(const RdmaLink& /*link*/) {
  return fail(Errc::not_supported, "this build of comch has no RDMA");
}

Result<transport::Carrier*> carrier_of(const DeviceInfo& device) {
  if (device.rdma) return rdma_carrier(*device.rdma);
  return &shared_memory_carrier();
}

}  // namespace comch
