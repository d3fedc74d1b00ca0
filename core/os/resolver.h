// Resolver: the addresses of a host by its name.
//
//   for (const HostAddress& address : look_up("dpu7.example.org").value()) ...
//
// Threads: any. Errors: not_found: there is no host of that name, or nobody to ask.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "comch/result.h"
#include "os/inet.h"

namespace comch::os {

using HostAddress = std::variant<std::array<std::uint8_t, 4>, Ipv6>;

// Every address, best first. May take the seconds that the system's resolver takes.
Result<std::vector<HostAddress>> look_up(const std::string& host);

}  // namespace comch::os
