// Inet: see inet.h.
#include "os/inet.h"

#include <arpa/inet.h>
#include <net/if.h>

#include <charconv>

namespace comch::os {
namespace {

// An interface that is not there, and one without a name, have no number.
std::optional<std::uint32_t> scope_of(const std::string& text) {
  std::uint32_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed == std::errc{} && end == text.data() + text.size() && number != 0) return number;
  number = ::if_nametoindex(text.c_str());
  if (number == 0) return std::nullopt;
  return number;
}

}  // namespace

std::optional<std::array<std::uint8_t, 4>> ipv4_of(std::string_view text) {
  std::array<std::uint8_t, 4> bytes{};
  if (::inet_pton(AF_INET, std::string(text).c_str(), bytes.data()) != 1) return std::nullopt;
  return bytes;
}

std::optional<Ipv6> ipv6_of(std::string_view text) {
  const std::size_t percent = text.find('%');
  Ipv6 address;
  if (percent != std::string_view::npos) {
    const auto scope = scope_of(std::string(text.substr(percent + 1)));
    if (!scope) return std::nullopt;
    address.scope = *scope;
  }
  const std::string number(text.substr(0, percent));
  if (::inet_pton(AF_INET6, number.c_str(), address.bytes.data()) != 1) return std::nullopt;
  return address;
}

std::string text_of(const std::array<std::uint8_t, 4>& ipv4) {
  std::array<char, INET_ADDRSTRLEN> text{};
  return ::inet_ntop(AF_INET, ipv4.data(), text.data(), text.size());
}

std::string text_of(const Ipv6& ipv6) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  std::string number = ::inet_ntop(AF_INET6, ipv6.bytes.data(), text.data(), text.size());
  if (ipv6.scope != 0) number += "%" + std::to_string(ipv6.scope);
  return number;
}

}  // namespace comch::os
