// RealVerbs: see real_verbs.h.
#include "transport/rdma/real_verbs.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>
#include <variant>

#include "os/fd.h"
#include "os/resolver.h"
#include "transport/rdma/real_address.h"
#include "transport/rdma/real_domain.h"
#include "transport/rdma/real_id.h"

namespace comch::transport::rdma {
namespace {

namespace fs = std::filesystem;

// A machine without it has no device, and asking the library would load its drivers for nothing.
constexpr const char* kSysfs = "/sys/class/infiniband";

using DeviceList = std::unique_ptr<ibv_device*, Release<ibv_free_device_list>>;

LinkLayer layer_of(std::uint8_t layer) {
  if (layer == IBV_LINK_LAYER_ETHERNET) return LinkLayer::kEthernet;
  return layer == IBV_LINK_LAYER_INFINIBAND ? LinkLayer::kInfiniband : LinkLayer::kOther;
}

void add_once(std::vector<Address>& addresses, const Address& address) {
  if (std::ranges::find(addresses, address) == addresses.end()) addresses.push_back(address);
}

void add_gids(ibv_context& context, int entries, Port& port) {
  for (int i = 0; i < entries; ++i) {
    ibv_gid_entry entry{};
    const auto index = static_cast<std::uint32_t>(i);
    if (ibv_query_gid_ex(&context, port.number, index, &entry, 0) != 0) continue;
    Address gid{.family = Address::Family::kGid};
    std::ranges::copy(entry.gid.raw, gid.bytes.begin());
    if (gid.is_any()) continue;
    add_once(port.gids, gid);
    if (port.link != LinkLayer::kEthernet) continue;
    add_once(port.ips, from_gid(entry.gid, entry.ndev_ifindex));
  }
}

std::optional<Port> port_of(ibv_context& context, std::uint8_t number) {
  ibv_port_attr attributes{};
  if (ibv_query_port(&context, number, &attributes) != 0) return std::nullopt;
  Port port;
  port.number = number;
  port.active = attributes.state == IBV_PORT_ACTIVE;
  port.link = layer_of(attributes.link_layer);
  port.mtu = packet_size(attributes);
  add_gids(context, attributes.gid_tbl_len, port);
  return port;
}

// The bus function behind a device: the last part of where sysfs says that it is.
std::string function_of(const ibv_device& device) {
  std::error_code failed;
  const fs::path where = fs::canonical(fs::path(device.ibdev_path) / "device", failed);
  return failed ? std::string() : where.filename().string();
}

// A device that cannot be opened, because it is going or not for us, is not listed.
std::optional<VerbsDevice> describe_device(ibv_device& device) {
  const Context context(ibv_open_device(&device));
  ibv_device_attr attributes{};
  if (context == nullptr || ibv_query_device(context.get(), &attributes) != 0) return std::nullopt;
  VerbsDevice made{
      .name = ibv_get_device_name(&device), .ports = {}, .function = function_of(device)};
  for (std::uint8_t number = 1; number <= attributes.phys_port_cnt; ++number) {
    if (auto port = port_of(*context, number)) made.ports.push_back(*std::move(port));
  }
  return made;
}

Address address_of(const os::HostAddress& found) {
  if (const auto* ipv6 = std::get_if<os::Ipv6>(&found)) {
    return {.family = Address::Family::kIpv6, .bytes = ipv6->bytes, .scope = ipv6->scope};
  }
  Address address;
  std::ranges::copy(std::get<0>(found), address.bytes.begin());
  return address;
}

class SystemResolver final : public Resolver {
 public:
  Result<std::vector<Address>> look_up(const std::string& host) override {
    if (const auto address = Address::parse(host)) return std::vector{*address};
    const auto found = os::look_up(host);
    if (!found) return std::unexpected(found.error());
    std::vector<Address> addresses;
    std::ranges::transform(*found, std::back_inserter(addresses), address_of);
    return addresses;
  }
};

class RealVerbs final : public Verbs {
 public:
  Result<std::vector<VerbsDevice>> devices() override {
    std::error_code failed;
    if (!fs::exists(kSysfs, failed)) {
      return fail(Errc::not_supported, "this machine has no RDMA device, nor soft-RoCE");
    }
    int count = 0;
    const DeviceList list(ibv_get_device_list(&count));
    if (list == nullptr) {
      return fail(Errc::operating_system, "libibverbs does not list devices", errno);
    }
    std::vector<VerbsDevice> devices;
    for (ibv_device* device : std::span(list.get(), static_cast<std::size_t>(count))) {
      if (auto made = describe_device(*device)) devices.push_back(*std::move(made));
    }
    return devices;
  }

  std::shared_ptr<Resolver> resolver() override { return std::make_shared<SystemResolver>(); }

  Result<std::unique_ptr<EventChannel>> make_event_channel() override {
    CmChannel channel(rdma_create_event_channel());
    if (channel == nullptr) {
      if (errno == ENODEV || errno == ENOENT) {
        return fail(Errc::not_supported, "this machine has no RDMA device, nor soft-RoCE", errno);
      }
      return fail(Errc::operating_system, "librdmacm gives no event channel", errno);
    }
    if (Status s = os::set_nonblocking(channel->fd); !s) return std::unexpected(s.error());
    return std::make_unique<RealEventChannel>(
        std::make_shared<RealCm>(std::move(channel), domains_));
  }

 private:
  const std::shared_ptr<RealDomains> domains_ = std::make_shared<RealDomains>();
};

}  // namespace

std::unique_ptr<Verbs> make_real_verbs() { return std::make_unique<RealVerbs>(); }

}  // namespace comch::transport::rdma
