// DeviceDirectory: devices/, the inventory, read only.
//
//   devices/comch0/{pci,side,kind,vuid,caps/...,reps/0000:b1:00.0/{pci,kind,vuid,...}}
//
// Threads: the loop's. Lifetime: made once; a changed description needs a new mount.
#pragma once

#include <memory>
#include <vector>

#include "comch/device.h"
#include "directory.h"
#include "services.h"

namespace comch::fuse {

std::shared_ptr<Directory> make_device_directory(Services& services,
                                                 const std::shared_ptr<ObjectRecord>& record,
                                                 const std::vector<DeviceInfo>& devices);

}  // namespace comch::fuse
