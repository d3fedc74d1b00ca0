// Server names: what may be one.
#pragma once

#include <string_view>

#include "comch/capability.h"
#include "comch/result.h"

namespace comch {

// invalid_value: empty, longer than the device allows, "." or "..", or with '/' or NUL.
Status check_server_name(std::string_view name, const Capability& capability);

// What a client may be told to look for: the name of a server, or rdma://HOST/NAME.
// invalid_value: as above, or as parse_rdma_address().
Status check_wanted_server(std::string_view name, const Capability& capability);

}  // namespace comch
