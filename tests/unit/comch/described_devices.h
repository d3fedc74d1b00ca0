// Devices, as a file describes them and as tests name them.
#pragma once

#include <memory>
#include <string>

#include "comch/device.h"

namespace comch {

inline const std::string kDpu = "[[device]]\nname='d'\npci='03:00.0'\nside='dpu'\n";
inline const std::string kHost = "[[device]]\nname='h'\npci='b1:00.0'\nside='host'\n";
inline const std::string kFunction = "[[device.representor]]\npci='b1:00.0'\n";

inline std::shared_ptr<Device> device_at(const char* pci) {
  DeviceInfo info;
  info.name = pci;
  info.pci = pci;
  return std::make_shared<Device>(info);
}

}  // namespace comch
