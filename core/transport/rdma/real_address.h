// RealAddress: an Address as librdmacm writes it, and back.
//
//   SocketAddress target = to_socket(address);
//   rdma_resolve_addr(id, nullptr, target.get(), 2000);
//
// Threads: values.
#pragma once

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

#include <optional>

#include "transport/rdma/address.h"

namespace comch::transport::rdma {

struct SocketAddress {
  sockaddr_storage storage{};
  // The library takes a pointer to the part that all kinds of address begin with.
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

SocketAddress to_socket(const Address& address);

// An address without a family, which an end has that is not bound yet, is any address.
Address from_socket(const sockaddr& address);

// The internet address that a GID of an Ethernet port stands for; `interface` is its network
// device's number.
Address from_gid(const ibv_gid& gid, std::uint32_t interface);
// The same of an address that is a GID; any other is what it is.
Address as_internet(const Address& address);

}  // namespace comch::transport::rdma
