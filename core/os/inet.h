// Inet: internet addresses as text and as bytes.
//
//   if (const auto v6 = ipv6_of("fe80::1%eth0")) use(v6->bytes, v6->scope);
//
// Threads: any. Errors: a text that is no address answers nothing; nobody is asked for a name.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace comch::os {

struct Ipv6 {
  std::array<std::uint8_t, 16> bytes{};
  std::uint32_t scope = 0;  // The interface behind a '%', by name or number; 0: none was named.
};

std::optional<std::array<std::uint8_t, 4>> ipv4_of(std::string_view text);
std::optional<Ipv6> ipv6_of(std::string_view text);

std::string text_of(const std::array<std::uint8_t, 4>& ipv4);
std::string text_of(const Ipv6& ipv6);

}  // namespace comch::os
