// Carriers: which carrier a device's connections travel by.
#pragma once

#include "comch/device.h"
#include "transport/transport.h"

namespace comch {

// Lives as long as the process.
transport::Carrier& carrier_of(const DeviceInfo& device);

}  // namespace comch
