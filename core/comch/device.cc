// Device and Representor: finding one among those that are described.
#include "comch/device.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "comch/device_file.h"
#include "comch/rdma_address.h"
#include "comch/verbs_devices.h"

namespace comch {
namespace {

bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Whether `text` looks like `form`, where x is any hexadecimal digit, 1 is 0 or 1
// (a bus has 32 devices), 7 is 0 to 7 (a device has 8 functions), and the rest is itself.
bool has_form(std::string_view text, std::string_view form) {
  return std::ranges::equal(text, form, [](char c, char wanted) {
    switch (wanted) {
      case 'x':
        return is_hex(c);
      case '1':
        return c == '0' || c == '1';
      case '7':
        return c >= '0' && c <= '7';
      default:
        return c == wanted;
    }
  });
}

// Those that a file or the build describes: asking for the others takes milliseconds each.
Result<std::vector<DeviceInfo>> described_devices() {
  return load_devices(secure_getenv("COMCH_DEVICES"), kSystemDeviceFile);
}

Result<std::shared_ptr<Device>> open_where(auto&& matches, const char* otherwise) {
  Result<std::vector<DeviceInfo>> devices = described_devices();
  if (!devices) return std::unexpected(devices.error());
  auto found = std::ranges::find_if(*devices, matches);
  if (found == devices->end()) {
    devices = list_devices();
    if (!devices) return std::unexpected(devices.error());
    found = std::ranges::find_if(*devices, matches);
  }
  if (found == devices->end()) return fail(Errc::not_found, otherwise);
  return std::make_shared<Device>(std::move(*found));
}

bool is_undescribed(const std::shared_ptr<Device>& device) {
  return device != nullptr && device->info().rdma && device->info().capability.server &&
         device->info().representors.empty();
}

// A device that nobody described serves the machines that the program names.
std::shared_ptr<Representor> of_hosts(std::shared_ptr<Device> device, std::string_view vuid,
                                      std::vector<std::string> hosts) {
  RepresentorInfo info;
  info.pci = device->info().pci;
  info.vuid = vuid;
  info.allow_hosts = std::move(hosts);
  return std::make_shared<Representor>(std::move(device), std::move(info));
}

Result<std::shared_ptr<Representor>> open_where(std::shared_ptr<Device> device, auto&& matches) {
  if (!device) return fail(Errc::invalid_value, "a representor needs a device");
  const DeviceInfo& info = device->info();
  if (info.side == Side::kHost) {
    return fail(Errc::not_supported, "a device on the host side has no representors");
  }
  const auto found = std::ranges::find_if(info.representors, matches);
  if (found == info.representors.end()) {
    return fail(Errc::not_found, "the device has no such representor");
  }
  return std::make_shared<Representor>(std::move(device), *found);
}

}  // namespace

std::string_view name(Side side) { return side == Side::kHost ? "host" : "dpu"; }

std::string_view name(FunctionKind kind) {
  switch (kind) {
    case FunctionKind::kPf:
      return "pf";
    case FunctionKind::kVf:
      return "vf";
    case FunctionKind::kSf:
      return "sf";
  }
  return "unknown";
}

std::optional<std::string> normal_pci(std::string_view text) {
  std::string address;
  if (has_form(text, "xx:1x.7")) {
    address = "0000:";
  } else if (!has_form(text, "xxxx:xx:1x.7")) {
    return std::nullopt;
  }
  address += text;
  std::ranges::transform(address, address.begin(), to_lower);
  return address;
}

Result<std::vector<DeviceInfo>> list_devices() {
  Result<std::vector<DeviceInfo>> devices = described_devices();
  if (!devices) return devices;
  std::vector<DeviceInfo> others = verbs_devices(*devices);
  std::ranges::move(others, std::back_inserter(*devices));
  return devices;
}

Result<std::shared_ptr<Device>> Device::open(std::string_view which) {
  const std::optional<std::string> pci = normal_pci(which);
  return open_where(
      [&](const DeviceInfo& device) { return device.name == which || device.pci == pci; },
      "there is no device of this name or PCI address");
}

Result<std::shared_ptr<Device>> Device::open_first(Side side) {
  return open_where([&](const DeviceInfo& device) { return device.side == side; },
                    "there is no device on this side");
}

Result<std::shared_ptr<Representor>> Representor::open(std::shared_ptr<Device> device,
                                                       std::string_view which) {
  if (is_undescribed(device)) {
    if (!is_host(which)) return fail(Errc::not_found, "this is no address, GID or host name");
    return of_hosts(std::move(device), which, {std::string(which)});
  }
  const std::optional<std::string> pci = normal_pci(which);
  return open_where(std::move(device), [&](const RepresentorInfo& representor) {
    return representor.pci == pci || representor.vuid == which;
  });
}

Result<std::shared_ptr<Representor>> Representor::open_first(std::shared_ptr<Device> device) {
  if (is_undescribed(device)) return of_hosts(std::move(device), "none", {});
  return open_where(std::move(device), [](const RepresentorInfo&) { return true; });
}

}  // namespace comch
