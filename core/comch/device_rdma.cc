// Device file: see device_rdma.h.
#include "comch/device_rdma.h"

#include <array>
#include <utility>

#include "base/text.h"
#include "comch/rdma_address.h"

namespace comch {
namespace {

constexpr std::size_t kVerbsMax = 63;   // The kernel's IB_DEVICE_NAME_MAX with its NUL is 64.
constexpr std::size_t kPathMax = 4095;  // The kernel's PATH_MAX likewise.
constexpr std::uint32_t kKeepaliveMin = 100;
constexpr std::uint32_t kKeepaliveMax = 3'600'000;

Read<std::string> read_host(const toml::table& link, std::string_view key) {
  Read<std::string> host = read_text(link, key, kHostMax, std::string());
  if (!host || host->empty() || is_host(*host)) return host;
  return complain(*link.get(key), "{} \"{}\" is no address, GID or host name; write it like {}",
                  key, printable(*host), "10.0.0.2");
}

Read<std::uint32_t> read_keepalive(const toml::table& link) {
  const toml::node* node = link.get("keepalive_ms");
  if (node == nullptr) return RdmaLink{}.keepalive_ms;
  return read_number(*node, "keepalive_ms", kKeepaliveMin, kKeepaliveMax);
}

Read<RdmaLink> read_link(const toml::table& link, Side side) {
  static constexpr std::array<std::string_view, 5> kKeys{"verbs", "address", "server", "key_file",
                                                         "keepalive_ms"};
  const Read<void> known = only_known_keys(link, kKeys, "[device.rdma]");
  if (!known) return std::unexpected(known.error());
  Read<std::string> verbs = read_text(link, "verbs", kVerbsMax, std::string());
  if (!verbs) return std::unexpected(verbs.error());
  Read<std::string> address = read_host(link, "address");
  if (!address) return std::unexpected(address.error());
  if (side == Side::kDpu && link.get("server") != nullptr) {
    return complain(*link.get("server"), "server is for clients; put it under the host device");
  }
  Read<std::string> server = read_host(link, "server");
  if (!server) return std::unexpected(server.error());
  Read<std::string> key_file = read_text(link, "key_file", kPathMax, std::string());
  if (!key_file) return std::unexpected(key_file.error());
  const Read<std::uint32_t> keepalive_ms = read_keepalive(link);
  if (!keepalive_ms) return std::unexpected(keepalive_ms.error());
  return RdmaLink{.verbs = *std::move(verbs),
                  .address = *std::move(address),
                  .server = *std::move(server),
                  .key_file = *std::move(key_file),
                  .keepalive_ms = *keepalive_ms};
}

}  // namespace

Read<std::optional<RdmaLink>> read_rdma_link(const toml::table& device, Side side) {
  const toml::node* node = device.get("rdma");
  if (node == nullptr) return std::optional<RdmaLink>();
  const toml::table* table = node->as_table();
  if (table == nullptr) return complain(*node, "rdma is no table; write [device.rdma]");
  return read_link(*table, side);
}

Read<std::vector<std::string>> read_allowed_hosts(const toml::table& representor, bool has_link) {
  constexpr const char* kExample = "allow_hosts = [\"10.0.0.1\"]";
  const toml::node* node = representor.get("allow_hosts");
  if (node == nullptr) {
    if (!has_link) return std::vector<std::string>();
    return complain(representor, "no machine may connect to this representor; add {}", kExample);
  }
  if (!has_link) return complain(*node, "allow_hosts is for a device with a [device.rdma]");
  const toml::array* list = node->as_array();
  if (list == nullptr) return complain(*node, "allow_hosts is no list; write {}", kExample);
  std::vector<std::string> hosts;
  for (const toml::node& element : *list) {
    std::optional<std::string> host = element.value_exact<std::string>();
    if (!host || !is_host(*host)) {
      return complain(element, "allow_hosts holds what is no address, GID or host name; write {}",
                      kExample);
    }
    hosts.push_back(*std::move(host));
  }
  return hosts;
}

}  // namespace comch
