// RdmaAddress: where a client finds a server of another machine, as users write it:
//
//   rdma://10.0.0.2/echo     rdma://[fe80::1%eth0]/echo     rdma://dpu7.example.org/echo
//
// The host is an IPv4 or IPv6 address, a GID (which is written like IPv6) or a host name;
// brackets around it are optional. Nothing is resolved here.
//
// Threads: pure functions of their arguments.
#pragma once

#include <string>
#include <string_view>

#include "comch/capability.h"
#include "comch/result.h"

namespace comch {

inline constexpr std::size_t kHostMax = 253;  // As long as a name in the DNS may be.

struct RdmaAddress {
  std::string host;
  std::string server;
};

// Whether `text` means to be one; every other text is the plain name of a server.
bool is_rdma_address(std::string_view text);

// invalid_value: the host is missing or could not be one, or the rest is no server name.
Result<RdmaAddress> parse_rdma_address(std::string_view text, const Capability& capability);

// Whether `text` could be an address, a GID or the name of a host.
bool is_host(std::string_view text);

}  // namespace comch
