// claim(): a server's name on this machine, held. Ports alone would let a second server of the same
// name in: it would take the next one.
//
// Threads: any.
#pragma once

#include <string_view>

#include "comch/result.h"
#include "os/held_name.h"

namespace comch::transport::rdma {

// already_exist: a living server of this machine has the name. not_permitted: the runtime
// directory may not be written. operating_system: see sys.
Result<os::HeldName> claim(std::string_view device, std::string_view representor,
                           std::string_view server_name);

}  // namespace comch::transport::rdma
