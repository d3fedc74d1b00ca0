// Server port: under which port a server of a name is called.
//
// The name's hash gives the first port of kPorts to try. A server takes the first that is free;
// a client calls one after the other until it finds the server whose hash is its own. So two names
// of one hash, or of neighbouring ports, do not keep each other from being served.
//
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <string_view>

namespace comch::transport::rdma {

inline constexpr std::uint32_t kPorts = 8;  // Names that collide, with few hosts having more.
// Below the ports that the kernel gives to those who do not choose.
inline constexpr std::uint16_t kFirstPort = 16384;
inline constexpr std::uint16_t kPortRange = 16384;

// FNV-1a of 64 bits.
constexpr std::uint64_t name_hash(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

// The `nth` port of a name, nth < kPorts. The hash's halves are mixed, for FNV's low bits are
// the weak ones.
constexpr std::uint16_t server_port(std::uint64_t hash, std::uint32_t nth) {
  const std::uint64_t mixed = (hash ^ (hash >> 32U)) + nth;
  return static_cast<std::uint16_t>(kFirstPort + mixed % kPortRange);
}

}  // namespace comch::transport::rdma
