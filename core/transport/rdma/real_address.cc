// RealAddress: see real_address.h.
#include "transport/rdma/real_address.h"

#include <infiniband/ib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

namespace comch::transport::rdma {
namespace {

void put_ipv4(const Address& address, sockaddr_storage& into) {
  sockaddr_in ipv4{};
  ipv4.sin_family = AF_INET;
  ipv4.sin_port = htobe16(address.port);
  std::memcpy(&ipv4.sin_addr, address.bytes.data(), sizeof ipv4.sin_addr);
  std::memcpy(&into, &ipv4, sizeof ipv4);
}

void put_ipv6(const Address& address, sockaddr_storage& into) {
  sockaddr_in6 ipv6{};
  ipv6.sin6_family = AF_INET6;
  ipv6.sin6_port = htobe16(address.port);
  ipv6.sin6_scope_id = address.scope;
  std::memcpy(&ipv6.sin6_addr, address.bytes.data(), sizeof ipv6.sin6_addr);
  std::memcpy(&into, &ipv6, sizeof ipv6);
}

// A port is the low end of an InfiniBand service number.
void put_gid(const Address& address, sockaddr_storage& into) {
  sockaddr_ib gid{};
  gid.sib_family = AF_IB;
  gid.sib_pkey = htobe16(0xffff);
  gid.sib_sid = htobe64(RDMA_IB_IP_PS_TCP | address.port);
  gid.sib_sid_mask = htobe64(RDMA_IB_IP_PS_MASK | RDMA_IB_IP_PORT_MASK);
  std::memcpy(&gid.sib_addr, address.bytes.data(), sizeof gid.sib_addr);
  std::memcpy(&into, &gid, sizeof gid);
}

Address from_ipv4(const sockaddr& from) {
  sockaddr_in ipv4{};
  std::memcpy(&ipv4, &from, sizeof ipv4);
  Address address{.port = be16toh(ipv4.sin_port)};
  std::memcpy(address.bytes.data(), &ipv4.sin_addr, sizeof ipv4.sin_addr);
  return address;
}

Address from_ipv6(const sockaddr& from) {
  sockaddr_in6 ipv6{};
  std::memcpy(&ipv6, &from, sizeof ipv6);
  Address address{.family = Address::Family::kIpv6,
                  .port = be16toh(ipv6.sin6_port),
                  .scope = ipv6.sin6_scope_id};
  std::memcpy(address.bytes.data(), &ipv6.sin6_addr, sizeof ipv6.sin6_addr);
  return address;
}

Address from_ib(const sockaddr& from) {
  sockaddr_ib gid{};
  std::memcpy(&gid, &from, sizeof gid);
  Address address{.family = Address::Family::kGid,
                  .port = static_cast<std::uint16_t>(be64toh(gid.sib_sid) & RDMA_IB_IP_PORT_MASK)};
  std::memcpy(address.bytes.data(), &gid.sib_addr, sizeof gid.sib_addr);
  return address;
}

}  // namespace

SocketAddress to_socket(const Address& address) {
  SocketAddress socket;
  switch (address.family) {
    case Address::Family::kIpv4:
      put_ipv4(address, socket.storage);
      break;
    case Address::Family::kIpv6:
      put_ipv6(address, socket.storage);
      break;
    case Address::Family::kGid:
      put_gid(address, socket.storage);
      break;
  }
  return socket;
}

Address from_socket(const sockaddr& address) {
  switch (address.sa_family) {
    case AF_INET:
      return from_ipv4(address);
    case AF_INET6:
      return from_ipv6(address);
    case AF_IB:
      return from_ib(address);
    default:
      return {};
  }
}

Address from_gid(const ibv_gid& gid, std::uint32_t interface) {
  static constexpr std::array<std::uint8_t, 12> kIpv4{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  Address address;
  if (std::ranges::equal(std::span(gid.raw).first(kIpv4.size()), kIpv4)) {
    std::ranges::copy(std::span(gid.raw).subspan(kIpv4.size()), address.bytes.begin());
    return address;
  }
  address.family = Address::Family::kIpv6;
  std::ranges::copy(gid.raw, address.bytes.begin());
  if (address.is_link_local()) address.scope = interface;
  return address;
}

Address as_internet(const Address& address) {
  if (address.family != Address::Family::kGid) return address;
  ibv_gid gid{};
  std::ranges::copy(address.bytes, gid.raw);
  Address internet = from_gid(gid, address.scope);
  internet.port = address.port;
  return internet;
}

}  // namespace comch::transport::rdma
