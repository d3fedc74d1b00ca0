// Server names: see server_name.h.
#include "comch/server_name.h"

#include "comch/rdma_address.h"

namespace comch {

Status check_server_name(std::string_view name, const Capability& capability) {
  if (name.empty()) return fail(Errc::invalid_value, "a server name must not be empty");
  if (name.size() >= capability.max_name_length) {
    return fail(Errc::invalid_value, "the server name is longer than the device allows");
  }
  if (name.find('/') != name.npos || name.find('\0') != name.npos || name == "." || name == "..") {
    return fail(Errc::invalid_value, "a server name is not . or .., and holds no / and no NUL");
  }
  return {};
}

Status check_wanted_server(std::string_view name, const Capability& capability) {
  if (!is_rdma_address(name)) return check_server_name(name, capability);
  const Result<RdmaAddress> address = parse_rdma_address(name, capability);
  return address ? Status{} : std::unexpected(address.error());
}

}  // namespace comch
