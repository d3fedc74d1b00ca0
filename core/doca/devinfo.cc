// doca_devinfo: what is asked of a device's description; see doca_dev.h.
#include <doca_dev.h>

#include <algorithm>

#include "doca/description.h"
#include "doca/dev.h"
#include "doca/refuse.h"

namespace doca = comch::doca;
using comch::Errc;

namespace {

// Of what a network card's port has and our devices do not: first whether the question is a
// proper one, then no.
doca_error_t no_such_word(const doca_devinfo* devinfo, const void* room, std::size_t size,
                          std::size_t wanted, Errc code, const char* what,
                          std::source_location where = std::source_location::current()) {
  if (devinfo == nullptr || room == nullptr) return doca::null_argument(where);
  if (size < wanted) return doca::refuse(Errc::invalid_value, "there is too little room", where);
  return doca::refuse(code, what, where);
}

// The place of `wanted` among the devices now described that are `counted`; negative: gone.
template <class Counted>
std::int64_t place_of(const comch::DeviceInfo& wanted, Counted&& counted) {
  const auto devices = comch::list_devices();
  if (!devices) return -1;
  std::int64_t place = 0;
  for (const comch::DeviceInfo& device : *devices) {
    if (device.pci == wanted.pci) return place;
    if (counted(device)) ++place;
  }
  return -1;
}

// The answer is of the DPU's side alone.
doca_error_t representors_can(const doca_devinfo* devinfo, std::uint8_t value, std::uint8_t* room,
                              std::source_location where = std::source_location::current()) {
  if (devinfo == nullptr || room == nullptr) return doca::null_argument(where);
  if (devinfo->info.side == comch::Side::kHost) {
    return doca::refuse(Errc::not_supported, "a device on the host's side has no representors",
                        where);
  }
  *room = value;
  return DOCA_SUCCESS;
}

doca_error_t no_device_can(const doca_devinfo* devinfo, std::uint8_t* room,
                           std::source_location where = std::source_location::current()) {
  if (devinfo == nullptr) return doca::null_argument(where);
  return doca::give(std::uint8_t{0}, room, where);
}

doca_error_t give_name(const doca_devinfo* devinfo, char* room, std::uint32_t size,
                       std::size_t wanted,
                       std::source_location where = std::source_location::current()) {
  if (devinfo == nullptr || room == nullptr) return doca::null_argument(where);
  return doca::give_text(devinfo->info.name, room, size, wanted, where);
}

}  // namespace

doca_error_t doca_devinfo_get_pci_addr_str(const doca_devinfo* devinfo, char* pci_addr_str) {
  if (devinfo == nullptr || pci_addr_str == nullptr) return doca::null_argument();
  return doca::give_pci(devinfo->info.pci, pci_addr_str);
}

doca_error_t doca_devinfo_is_equal_pci_addr(const doca_devinfo* devinfo, const char* pci_addr_str,
                                            std::uint8_t* is_equal) {
  if (devinfo == nullptr || pci_addr_str == nullptr || is_equal == nullptr) {
    return doca::null_argument();
  }
  return doca::compare_pci(devinfo->info.pci, pci_addr_str, is_equal);
}

doca_error_t doca_devinfo_get_ipv4_addr(const doca_devinfo* devinfo, std::uint8_t* ipv4_addr,
                                        std::uint32_t size) {
  return no_such_word(devinfo, ipv4_addr, size, DOCA_DEVINFO_IPV4_ADDR_SIZE, Errc::not_found,
                      "the device has no IPv4 address");
}

doca_error_t doca_devinfo_get_ipv6_addr(const doca_devinfo* devinfo, std::uint8_t* ipv6_addr,
                                        std::uint32_t size) {
  return no_such_word(devinfo, ipv6_addr, size, DOCA_DEVINFO_IPV6_ADDR_SIZE, Errc::operating_system,
                      "the device has no IPv6 address");
}

doca_error_t doca_devinfo_get_mac_addr(const doca_devinfo* devinfo, std::uint8_t* mac_addr,
                                       std::uint32_t size) {
  return no_such_word(devinfo, mac_addr, size, DOCA_DEVINFO_MAC_ADDR_SIZE, Errc::not_supported,
                      "the device has no Ethernet port");
}

doca_error_t doca_devinfo_get_lid(const doca_devinfo* devinfo, std::uint16_t* lid) {
  return no_such_word(devinfo, lid, 0, 0, Errc::not_supported, "the device has no InfiniBand port");
}

doca_error_t doca_devinfo_get_active_rate(const doca_devinfo* devinfo, std::uint64_t* active_rate) {
  return no_such_word(devinfo, active_rate, 0, 0, Errc::driver, "the device has no link");
}

doca_error_t doca_devinfo_get_iface_name(const doca_devinfo* devinfo, char* iface_name,
                                         std::uint32_t size) {
  return give_name(devinfo, iface_name, size, DOCA_DEVINFO_IFACE_NAME_SIZE);
}

doca_error_t doca_devinfo_get_ibdev_name(const doca_devinfo* devinfo, char* ibdev_name,
                                         std::uint32_t size) {
  return give_name(devinfo, ibdev_name, size, DOCA_DEVINFO_IBDEV_NAME_SIZE);
}

doca_error_t doca_devinfo_get_vhca_id(const doca_devinfo* devinfo, std::uint16_t* vhca_id) {
  if (devinfo == nullptr || vhca_id == nullptr) return doca::null_argument();
  return doca::guarded([&] {
    const std::int64_t place = place_of(devinfo->info, [](const auto&) { return true; });
    if (place < 0) return doca::refuse(Errc::driver, "the device is no longer described");
    *vhca_id = static_cast<std::uint16_t>(place);
    return DOCA_SUCCESS;
  });
}

doca_error_t doca_devinfo_get_pci_func_type(const doca_devinfo* devinfo,
                                            doca_pci_func_type* pci_func_type) {
  if (devinfo == nullptr || pci_func_type == nullptr) return doca::null_argument();
  return doca::give(doca::type_of(devinfo->info.kind), pci_func_type);
}

doca_error_t doca_devinfo_get_sf_index(const doca_devinfo* devinfo, std::uint32_t* sf_index) {
  if (devinfo == nullptr || sf_index == nullptr) return doca::null_argument();
  if (devinfo->info.kind != comch::FunctionKind::kSf) {
    return doca::refuse(Errc::not_supported, "the device is no sub-function");
  }
  return doca::guarded([&] {
    const std::int64_t place = place_of(devinfo->info, [](const comch::DeviceInfo& device) {
      return device.kind == comch::FunctionKind::kSf;
    });
    if (place < 0) return doca::refuse(Errc::driver, "the device is no longer described");
    *sf_index = static_cast<std::uint32_t>(place);
    return DOCA_SUCCESS;
  });
}

doca_error_t doca_devinfo_cap_is_hotplug_manager_supported(const doca_devinfo* devinfo,
                                                           std::uint8_t* is_hotplug_manager) {
  return no_device_can(devinfo, is_hotplug_manager);
}

doca_error_t doca_devinfo_cap_is_notification_moderation_supported(
    const doca_devinfo* devinfo, std::uint8_t* is_notification_moderation_supported) {
  return no_device_can(devinfo, is_notification_moderation_supported);
}

doca_error_t doca_devinfo_cap_is_accelerate_resource_reclaim_supported(
    const doca_devinfo* devinfo, std::uint8_t* is_accelerate_resource_reclaim) {
  return no_device_can(devinfo, is_accelerate_resource_reclaim);
}

doca_error_t doca_devinfo_rep_cap_is_filter_all_supported(const doca_devinfo* devinfo,
                                                          std::uint8_t* filter_all_supported) {
  return representors_can(devinfo, 1, filter_all_supported);
}

doca_error_t doca_devinfo_rep_cap_is_filter_net_supported(const doca_devinfo* devinfo,
                                                          std::uint8_t* filter_net_supported) {
  return representors_can(devinfo, 1, filter_net_supported);
}

doca_error_t doca_devinfo_rep_cap_is_filter_emulated_supported(
    const doca_devinfo* devinfo, std::uint8_t* filter_emulated_supported) {
  return representors_can(devinfo, 0, filter_emulated_supported);
}
