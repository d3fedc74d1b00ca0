// Address: see address.h.
#include "transport/rdma/address.h"

#include <fmt/format.h>

#include <algorithm>

#include "os/inet.h"

namespace comch::transport::rdma {
namespace {

constexpr std::string_view kGidPrefix = "gid:";

}  // namespace

std::optional<Address> Address::parse(std::string_view text) {
  Address address;
  if (const auto ipv4 = os::ipv4_of(text)) {
    std::ranges::copy(*ipv4, address.bytes.begin());
    return address;
  }
  const bool gid = text.starts_with(kGidPrefix);
  if (gid) text.remove_prefix(kGidPrefix.size());
  const auto ipv6 = os::ipv6_of(text);
  if (!ipv6 || (gid && ipv6->scope != 0)) return std::nullopt;
  address.family = gid ? Family::kGid : Family::kIpv6;
  address.bytes = ipv6->bytes;
  address.scope = ipv6->scope;
  return address;
}

std::string Address::host() const {
  if (family == Family::kIpv4) {
    return os::text_of(std::array{bytes[0], bytes[1], bytes[2], bytes[3]});
  }
  const std::string number = os::text_of(os::Ipv6{bytes, scope});
  return family == Family::kGid ? fmt::format("{}{}", kGidPrefix, number) : number;
}

std::string Address::text() const {
  if (family == Family::kIpv4) return fmt::format("{}:{}", host(), port);
  return fmt::format("[{}]:{}", host(), port);
}

}  // namespace comch::transport::rdma
