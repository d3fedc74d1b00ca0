// Resolver: see resolver.h. libc does it, with system calls of its own that no table holds.
#include "os/resolver.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>

namespace comch::os {
namespace {

std::optional<HostAddress> address_of(const addrinfo& found) {
  if (found.ai_family == AF_INET) {
    sockaddr_in ipv4{};
    std::array<std::uint8_t, 4> bytes{};
    std::memcpy(&ipv4, found.ai_addr, sizeof ipv4);
    std::memcpy(bytes.data(), &ipv4.sin_addr, bytes.size());
    return bytes;
  }
  if (found.ai_family != AF_INET6) return std::nullopt;
  sockaddr_in6 ipv6{};
  Ipv6 address;
  std::memcpy(&ipv6, found.ai_addr, sizeof ipv6);
  std::memcpy(address.bytes.data(), &ipv6.sin6_addr, address.bytes.size());
  address.scope = ipv6.sin6_scope_id;
  return address;
}

}  // namespace

Result<std::vector<HostAddress>> look_up(const std::string& host) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;  // Else each address comes once per kind of socket.
  addrinfo* list = nullptr;
  const int failed = ::getaddrinfo(host.c_str(), nullptr, &wanted, &list);
  if (failed != 0) {
    return fail(Errc::not_found, "there is no host of this name", failed == EAI_SYSTEM ? errno : 0);
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(list, ::freeaddrinfo);
  std::vector<HostAddress> addresses;
  for (const addrinfo* found = list; found != nullptr; found = found->ai_next) {
    if (const auto address = address_of(*found)) addresses.push_back(*address);
  }
  if (addresses.empty()) return fail(Errc::not_found, "the host has no internet address");
  return addresses;
}

}  // namespace comch::os
