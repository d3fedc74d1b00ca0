// Carriers: which carrier a device's connections travel by.
//
// Threads: any. Lifetime: a carrier, once made, lives as long as the process.
#pragma once

#include "comch/device.h"
#include "transport/transport.h"

namespace comch {

transport::Carrier& shared_memory_carrier();

// not_supported: this build has no RDMA. no_memory: there is none for the carrier.
Result<transport::Carrier*> rdma_carrier(const RdmaLink& link);

// The one that the device's description asks for; errors as above.
Result<transport::Carrier*> carrier_of(const DeviceInfo& device);

}  // namespace comch
