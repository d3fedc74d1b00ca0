// Address: where a machine is reached by RDMA: an IPv4 or IPv6 address, or a GID, and a port.
//
// Threads: a value. Errors: parse() answers nothing for a text that is no numeric address; host
// names are Resolver::look_up()'s.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace comch::transport::rdma {

struct Address {
  // kGid is an InfiniBand port's own identity (AF_IB); IPv4 and IPv6 serve RoCE, iWARP and IPoIB.
  enum class Family : std::uint8_t { kIpv4, kIpv6, kGid };

  Family family = Family::kIpv4;
  std::array<std::uint8_t, 16> bytes{};  // Network order; an IPv4 address in the first four.
  std::uint16_t port = 0;
  std::uint32_t scope = 0;  // Of a link-local IPv6 address: the interface's number.

  // All zero: any address of this machine.
  bool is_any() const { return bytes == decltype(bytes){}; }
  // fe80::/10: of one interface alone, by its scope.
  bool is_link_local() const {
    return family == Family::kIpv6 && bytes[0] == 0xfe && (bytes[1] & 0xc0U) == 0x80;
  }
  // The same machine, whatever the port.
  bool same_host(const Address& other) const {
    return family == other.family && bytes == other.bytes;
  }
  friend bool operator==(const Address&, const Address&) = default;

  // "10.0.0.2", "fe80::1", "gid:fe80::1"; without a port.
  static std::optional<Address> parse(std::string_view text);
  std::string host() const;
  // "10.0.0.2:4791", "[fe80::1]:4791"; for the log.
  std::string text() const;
};

}  // namespace comch::transport::rdma
