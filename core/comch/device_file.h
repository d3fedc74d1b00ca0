// Device file: the description of devices, in TOML.
//
// README.md beside this file shows the format. A file is taken whole or not at all: a
// key that nobody knows, a name that is there twice or a limit that cannot be met is
// refused, and one log line says where it is and what to do about it.
//
//   Result<std::vector<DeviceInfo>> devices = parse_devices(text, "devices.toml");
//
// Threads: any.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "comch/device.h"
#include "comch/result.h"

namespace comch {

inline constexpr const char* kSystemDeviceFile = "/etc/comch/devices.toml";

// What there is without any file: one DPU and the host it is plugged into.
std::vector<DeviceInfo> built_in_devices();

// The devices that `text` describes, in its order. `file` is for the log.
// bad_config: it describes something impossible; the log says where.
Result<std::vector<DeviceInfo>> parse_devices(std::string_view text, std::string_view file);

// The devices of the file `chosen` when it is not nullptr or empty, else of the file
// `standard` when it exists, else the built-in ones.
// bad_config: the file cannot be read, or as parse_devices().
Result<std::vector<DeviceInfo>> load_devices(const char* chosen, const char* standard);

}  // namespace comch
