// RdmaAddress: see rdma_address.h.
#include "comch/rdma_address.h"

#include <algorithm>

#include "comch/server_name.h"

namespace comch {
namespace {

constexpr std::string_view kScheme = "rdma://";

bool is_host_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
         c == ':' || c == '-' || c == '_' || c == '%';
}

std::string_view without_brackets(std::string_view host) {
  if (host.size() < 2 || host.front() != '[' || host.back() != ']') return host;
  return host.substr(1, host.size() - 2);
}

}  // namespace

bool is_rdma_address(std::string_view text) { return text.starts_with(kScheme); }

bool is_host(std::string_view text) {
  return !text.empty() && text.size() <= kHostMax && std::ranges::all_of(text, is_host_character);
}

Result<RdmaAddress> parse_rdma_address(std::string_view text, const Capability& capability) {
  constexpr const char* kForm = "write it like rdma://10.0.0.2/name";
  if (!is_rdma_address(text)) return fail(Errc::invalid_value, kForm);
  text.remove_prefix(kScheme.size());
  const std::size_t slash = text.find('/');
  if (slash == text.npos) return fail(Errc::invalid_value, kForm);
  const std::string_view host = without_brackets(text.substr(0, slash));
  if (!is_host(host)) {
    return fail(Errc::invalid_value, "the host of an rdma:// address is an address, GID or name");
  }
  const std::string_view server = text.substr(slash + 1);
  if (Status s = check_server_name(server, capability); !s) return std::unexpected(s.error());
  return RdmaAddress{.host = std::string(host), .server = std::string(server)};
}

}  // namespace comch
