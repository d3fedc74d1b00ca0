// claim(): see claim.h.
#include "transport/rdma/claim.h"

#include <fmt/format.h>

namespace comch::transport::rdma {

Result<os::HeldName> claim(std::string_view device, std::string_view representor,
                           std::string_view server_name) {
  return os::HeldName::take(fmt::format("rdma:{}:{}+{}", device, representor, server_name),
                            "a server of that name runs on this device already");
}

}  // namespace comch::transport::rdma
