// Verbs devices: see verbs_devices.h.
#include "comch/verbs_devices.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/say.h"
#include "transport/rdma/real_verbs.h"

namespace comch {
namespace {

using transport::rdma::Address;
using transport::rdma::Port;
using transport::rdma::VerbsDevice;

// What a port is best called by: IPv4, then IPv6 that is more than link-local, then what is left.
int rank(const Address& address) {
  if (address.family == Address::Family::kIpv4) return 0;
  if (address.family == Address::Family::kGid) return 3;
  return address.scope == 0 ? 1 : 2;
}

// Of the first port that has a link; empty when none has.
std::string address_of(const VerbsDevice& device) {
  const auto port = std::ranges::find_if(device.ports, &Port::active);
  if (port == device.ports.end()) return {};
  std::vector<Address> addresses = port->ips;
  addresses.insert(addresses.end(), port->gids.begin(), port->gids.end());
  const auto best = std::ranges::min_element(addresses, {}, rank);
  return best == addresses.end() ? std::string() : best->host();
}

std::string pci_of(const VerbsDevice& device, std::size_t place) {
  if (const auto pci = normal_pci(device.function)) return *pci;
  return fmt::format("ffff:{:02x}:{:02x}.{}", (place >> 8u) & 0xffu, (place >> 3u) & 0x1fu,
                     place & 7u);
}

DeviceInfo describe_device(const VerbsDevice& device, std::size_t place) {
  DeviceInfo made;
  made.name = device.name;
  made.pci = pci_of(device, place);
  made.vuid = fmt::format("COMCH-{}", device.name);
  made.side = Side::kDpu;
  made.capability.server = true;
  made.capability.client = true;
  made.rdma.emplace();
  made.rdma->verbs = device.name;
  made.rdma->address = address_of(device);
  return made;
}

}  // namespace

std::vector<DeviceInfo> describe_verbs(const std::vector<VerbsDevice>& devices,
                                       const std::vector<DeviceInfo>& others) {
  std::vector<DeviceInfo> described;
  for (std::size_t place = 0; place < devices.size(); ++place) {
    DeviceInfo made = describe_device(devices[place], place);
    const bool taken = std::ranges::any_of(others, [&](const DeviceInfo& other) {
      return other.name == made.name || other.pci == made.pci;
    });
    if (!taken) described.push_back(std::move(made));
  }
  return described;
}

std::vector<DeviceInfo> verbs_devices(const std::vector<DeviceInfo>& others) {
  const auto devices = transport::rdma::make_real_verbs()->devices();
  if (devices) return describe_verbs(*devices, others);
  if (devices.error().code != Errc::not_supported) {
    say(LogLevel::kWarning, "RDMA devices cannot be listed: {}", describe(devices.error()));
  }
  return {};
}

}  // namespace comch
