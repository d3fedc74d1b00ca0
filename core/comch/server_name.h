// Server names: what may be one.
#pragma once

#include <string_view>

#include "comch/capability.h"
#include "comch/result.h"

namespace comch {

// invalid_value: empty, longer than the device allows, "." or "..", or with '/' or NUL.
Status check_server_name(std::string_view name, const Capability& capability);

}  // namespace comch
